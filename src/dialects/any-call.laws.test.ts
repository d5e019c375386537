import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { CallItem, ResultItem } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";
import { createClaudeCodeDialect } from "./claude-code.ts";
import { createCodexDialect } from "./codex.ts";
import { createGeminiCliDialect } from "./gemini-cli.ts";
import { createOpencodeDialect } from "./opencode.ts";
import { createPiDialect } from "./pi.ts";
import { createQwenCodeDialect } from "./qwen-code.ts";

const RUNS = Number(process.env.EBB_TEST_LAW_RUNS ?? 200);
const SEED = Number(process.env.EBB_TEST_LAW_SEED ?? 41_410_117);
const shell = createShellParser();
const place = { messageIndex: 1, blockIndex: 0, bytes: 0, lines: 0, digest: "" };

const DIALECTS = [
  createClaudeCodeDialect(),
  createOpencodeDialect(),
  createCodexDialect(),
  createGeminiCliDialect(),
  createQwenCodeDialect(),
  createPiDialect(),
];
const TOOLS = [
  "read",
  "Read",
  "read_file",
  "read_many_files",
  "edit",
  "replace",
  "apply_patch",
  "write",
  "write_file",
  "bash",
];
const SHELLS = [
  "Bash",
  "exec_command",
  "shell",
  "local_shell",
  "write_stdin",
  "run_shell_command",
  "view_image",
  "patch",
  "x",
];
const NAMES = ["path", "file_path", "filePath", "offset", "limit", "start_line", "end_line", "command", "cmd", "input"];
const MORE_NAMES = ["patchText", "workdir", "dir_path", "paths", "include", "edits", "old_string", "pages", "mode"];

const words = fc.constantFrom<JsonValue>(
  "",
  "/w/f.ts",
  "f.ts",
  "cat f.ts",
  "cat 'f",
  "*** Begin Patch\n*** Add File: \n*** End Patch",
  "1e9",
  -1,
  0,
  3,
);
const value = fc.oneof(
  words,
  words,
  fc.jsonValue({ maxDepth: 2 }).map((one): JsonValue => JSON.parse(JSON.stringify(one))),
);
const input = fc.oneof(fc.dictionary(fc.constantFrom(...NAMES, ...MORE_NAMES), value), value);
const TEXTS = [
  "",
  "1\ta\n",
  "1: a",
  "<path>/a</path>\n<type>file</type>\n<content>\n",
  "L1: a\nL9: b",
  "Success. Updated the following files:",
];
const MORE_TEXTS = [
  "Exit code: 0\nWall time: 1\nOutput:\na",
  '{"output":"a","metadata":{"exit_code":0}}',
  '{"output":7}',
  "Output: a\nExit Code: 0",
];
const text = fc.oneof(fc.constantFrom(...TEXTS, ...MORE_TEXTS), fc.string());

describe("any call and any result", () => {
  test.each(DIALECTS)("is read by $name, which claims no more than it may", (dialect) => {
    fc.assert(
      fc.property(fc.constantFrom(...TOOLS, ...SHELLS), input, text, fc.boolean(), (name, given, answer, isError) => {
        const call: CallItem = { ...place, kind: "call", key: "c", role: "assistant", callId: "c", name, input: given };
        const facts = { key: "r", role: "user", callId: "c", isError, mediaCount: 0, isReplaceable: true } as const;
        const result: ResultItem = { ...place, kind: "result", ...facts };
        const { kind, outcome, path, changes, window, printed, isShellRead } = dialect.acquire(
          call,
          result,
          answer,
          shell,
        );
        expect(path).not.toBe("");
        expect(outcome === "ok" || changes.every(({ source }) => source === "notice")).toBe(true);
        expect(isError && (outcome === "ok" || isShellRead)).toBe(false);
        expect(window === null || (window.start >= 1 && (window.end ?? window.start) >= window.start)).toBe(true);
        expect(printed === null || printed.end >= printed.start - 1).toBe(true);
        expect(kind === "read" || isShellRead || (window === null && printed === null)).toBe(true);
        dialect.changeText(call, answer);
        expect(dialect.acquire(call, null, "", shell).outcome).toBe("missing");
      }),
      { numRuns: RUNS * 5, seed: SEED },
    );
  });
});
