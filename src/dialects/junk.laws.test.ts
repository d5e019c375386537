import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { acquired, stated } from "../../test/support/dialect-calls.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { JsonValue } from "../model/json.ts";
import { createClineDialect } from "./cline.ts";
import { createCopilotCliDialect } from "./copilot-cli.ts";
import { createCursorDialect } from "./cursor.ts";
import { createGenericDialect } from "./generic.ts";
import { createLangChainDialect } from "./langchain.ts";
import { createMcpFilesDialect } from "./mcp-files.ts";
import { createMiniSweAgentDialect } from "./mini-swe-agent.ts";
import { createOpenHandsDialect } from "./openhands.ts";
import { createRooDialect } from "./roo.ts";
import { createSweAgentDialect } from "./swe-agent.ts";
import { createTextEditorDialect } from "./text-editor.ts";
import { createVsCodeCopilotDialect } from "./vscode-copilot.ts";

const RUNS = Number(process.env.EBB_TEST_LAW_RUNS ?? 200);
const DIALECTS = [
  createClineDialect(),
  createRooDialect(),
  createVsCodeCopilotDialect(),
  createCopilotCliDialect(),
  createOpenHandsDialect(),
  createSweAgentDialect(),
  createMiniSweAgentDialect(),
  createTextEditorDialect(),
  createCursorDialect(),
  createMcpFilesDialect(),
  createLangChainDialect(),
  createGenericDialect(),
];
const TOOLS = [
  [
    "read_files",
    "editor",
    "run_commands",
    "apply_patch",
    "search_codebase",
    "fetch_web_content",
    "read_file",
    "write_to_file",
  ],
  [
    "apply_diff",
    "edit",
    "edit_file",
    "execute_command",
    "create_file",
    "replace_string_in_file",
    "run_in_terminal",
    "view",
  ],
  ["multi_replace_string_in_file", "create", "bash", "file_editor", "terminal", "str_replace_editor", "open", "goto"],
  ["str_replace_based_edit_tool", "insert", "Read", "StrReplace", "Shell", "search_replace", "write", "delete_file"],
  ["read_text_file", "read_multiple_files", "move_file", "mcp__fs__edit_file", "write_file", "delete", "execute"],
].flat();
const NAMES = [
  [
    "path",
    "file_path",
    "filePath",
    "target_file",
    "files",
    "paths",
    "edits",
    "replacements",
    "commands",
    "command",
    "args",
  ],
  ["offset", "limit", "start_line", "end_line", "startLine", "endLine", "view_range", "line_ranges", "head", "tail"],
  ["old_string", "new_string", "old_str", "new_str", "old_text", "new_text", "content", "input", "patch", "filename"],
].flat();
const TEXTS = [
  [
    "",
    "1 | a",
    "1|a\n2|b",
    "     1\ta",
    "9007199254740993\ta",
    "[]",
    "{",
    '[{"success":true,"result":"1 | a"}]',
    "File: a\n1 | b",
  ],
  [
    "Here's the result of running `cat -n` on f:\n<response clipped>",
    "[File: f (1 lines total)]\n1:",
    "```\n```",
    "```x",
  ],
  ["File: `f`. Lines 9 to 1 (1 lines total):\n```\n```", "<returncode>0</returncode><output></output>", "\ud800"],
].flat();

const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, 0, -1, 1.5, 1e300, "", "f", "/w/f", "cd /w && cat f", "7", "view", "create"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 5 }),
  ),
})).value;

describe("any call with any answer", () => {
  test("is read by every dialect without throwing, into an acquisition that is whole", () => {
    const shell = createShellParser();
    const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string(), fc.constant(null));
    const call = fc.record({ tool: fc.constantFrom(...TOOLS), input: value, text, isError: fc.boolean() });
    fc.assert(
      fc.property(call, fc.constantFrom(...DIALECTS), (given, dialect) => {
        const { kind, outcome, path, window, printed, changes, isShellRead } = acquired(dialect, given, shell);
        expect(path).not.toBe("");
        if (outcome !== "ok") expect([changes, printed, isShellRead]).toEqual([[], null, false]);
        if (kind !== "read" && !isShellRead) expect([window, printed]).toEqual([null, null]);
        if (window !== null) expect(window.start >= 1 && (window.end ?? window.start) >= window.start).toBe(true);
        if (printed !== null) expect(printed.start >= 0 && printed.end >= printed.start - 1).toBe(true);
        if (given.text === null) expect(outcome).toBe("missing");
        if (given.isError && given.text !== null) expect(["failed", "interrupted"]).toContain(outcome);
        stated(dialect, given);
      }),
      { numRuns: 20 * RUNS },
    );
  });
});
