import { describe, expect, test } from "vitest";
import { acquired, sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { JsonValue } from "../model/json.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createVsCodeCopilotDialect } from "./vscode-copilot.ts";

const dialect = createVsCodeCopilotDialect();
const EDITED = "The following files were successfully edited:\n/w/a.ts\n";
const FAILED = "ERROR while calling tool: String not found\nPlease check your input and try again.";

function read(range: object, text: string) {
  return { tool: "read_file", input: { filePath: "/w/a.ts", ...range }, text };
}

function fenced(lines: string, header = "") {
  return `${header}\`\`\`\`typescript\n${lines}\n\`\`\`\``;
}

const header = (start: number, end: number) => `File: \`/w/a.ts\`. Lines ${start} to ${end} (90 lines total): \n`;
const replacement = { filePath: "/w/a.ts", oldString: "a", newString: "b" };

describe("the dialect of Copilot in VS Code", () => {
  const samples = [
    sampleOf("a range of the first version", read({ startLine: 3, endLine: 5 }, fenced("a\n\nc", header(3, 5))), {
      kind: "read",
      outcome: "ok",
      path: "/w/a.ts",
      window: { start: 3, end: 5, part: null },
      printed: { start: 3, end: 5 },
    }),
    sampleOf("a range to the end of the file", read({ startLine: 3, endLine: 500 }, fenced("a\nb")), {
      window: { start: 3, end: 500, part: null },
      printed: { start: 3, end: 4 },
    }),
    sampleOf("ends in the wrong order", read({ startLine: 5, endLine: 3 }, fenced("a\nb\nc", header(3, 5))), {
      window: { start: 3, end: 5, part: null },
    }),
    sampleOf(
      "a limit, which is one line short of what is shown",
      read({ offset: 2, limit: 1 }, fenced("a\nb", header(2, 3))),
      {
        window: { start: 2, end: 3, part: null },
        printed: { start: 2, end: 3 },
      },
    ),
    sampleOf(
      "a file that is too long",
      read(
        {},
        fenced(
          "a\nb\n[File content truncated at line 2. Use read_file with offset/limit parameters to view more.]\n",
          header(1, 2),
        ),
      ),
      { window: { start: 1, end: 2000, part: null }, printed: { start: 1, end: 2 } },
    ),
    sampleOf("a content cut to fit the prompt", read({ startLine: 1, endLine: 9 }, fenced("a", header(1, 9))), {
      printed: { start: 1, end: 0 },
    }),
    sampleOf("an empty file", read({}, "(The file `/w/a.ts` exists, but is empty)"), { printed: { start: 1, end: 0 } }),
    sampleOf("a file that is not there", read({}, FAILED), { outcome: "failed", printed: null }),
    sampleOf("a cancelled read", read({}, "The user cancelled the tool call."), { outcome: "interrupted" }),
    sampleOf(
      "a replacement",
      { tool: "replace_string_in_file", input: replacement, text: EDITED },
      {
        kind: "edit",
        outcome: "ok",
        changes: [{ kind: "edit", path: "/w/a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "a replacement that fails",
      { tool: "replace_string_in_file", input: replacement, text: FAILED },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "a replacement with errors in the code",
      {
        tool: "replace_string_in_file",
        input: replacement,
        text: "The edit to /w/a.ts was applied successfully.\nThe edit resulted in the following lint errors:\n",
      },
      { outcome: "ok" },
    ),
    sampleOf(
      "replacements in two files of which one failed",
      {
        tool: "multi_replace_string_in_file",
        input: { replacements: [replacement, { ...replacement, filePath: "/w/b.ts" }] },
        text: `${EDITED}Could not find matching text to replace in /w/b.ts`,
      },
      { kind: "edit", outcome: "ok", path: null, changes: [{ kind: "edit", path: "/w/a.ts", source: "tool" }] },
    ),
    sampleOf(
      "code worked into a file",
      { tool: "insert_edit_into_file", input: { filePath: "/w/a.ts", code: "x" }, text: EDITED },
      {
        kind: "edit",
        changes: [{ kind: "edit", path: "/w/a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "a new file",
      { tool: "create_file", input: { filePath: "/w/a.ts", content: "x" }, text: EDITED },
      {
        kind: "write",
        changes: [{ kind: "write", path: "/w/a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "a patch",
      {
        tool: "apply_patch",
        input: { input: "*** Begin Patch\n*** Update File: /w/a.ts\n@@\n-a\n+b\n*** End Patch", explanation: "x" },
        text: EDITED,
      },
      { kind: "edit", path: "/w/a.ts", changes: [{ kind: "edit", path: "/w/a.ts", source: "tool" }] },
    ),
    sampleOf(
      "a command",
      { tool: "run_in_terminal", input: { command: "echo > f" }, text: "x" },
      {
        kind: "run",
        outcome: "ok",
        command: "echo > f",
        changes: [{ kind: "write", path: "f", source: "shell" }],
      },
    ),
    sampleOf(
      "a command that fails",
      { tool: "run_in_terminal", input: { command: "echo > f" }, text: "x\nCommand exited with code 1" },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "a command in the background",
      { tool: "run_in_terminal", input: { command: "echo > f", isBackground: true }, text: "Command is running" },
      { outcome: "missing", changes: [] },
    ),
    sampleOf("a search", { tool: "grep_search", input: { query: "x" }, text: "" }, { kind: "search", command: "x" }),
    sampleOf(
      "errors of the code",
      { tool: "get_errors", input: { filePaths: ["/w/a.ts"] }, text: "" },
      { kind: "other" },
    ),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test.each([
    [{}, 1, 2000],
    [{ offset: 10 }, 10, 2009],
    [{ limit: 5 }, 1, 6],
    [{ offset: 10, limit: 5 }, 10, 15],
    [{ offset: 10, limit: 5000 }, 10, 2009],
    [{ offset: 0, limit: 0 }, 1, 2000],
    [{ offset: "10", limit: 5.0 }, 10, 15],
    [{ startLine: 10, endLine: 20 }, 10, 20],
    [{ startLine: 0, endLine: 20 }, 1, 20],
    [{ startLine: 10 }, 10, null],
  ])("asks with %j for lines %i to %s", (range, start, end) => {
    const { window } = acquired(dialect, read(range, fenced("a")), null);
    expect(window).toEqual({ start, end, part: null });
  });

  test("states a change that was made as it was called", () => {
    const of = (tool: string, input: JsonValue, text = EDITED) => stated(dialect, { tool, input, text });
    const replacements = [{ from: "a", to: "b", isAll: false }];
    expect(of("replace_string_in_file", replacement)).toEqual({ kind: "replacements", replacements });
    expect(of("multi_replace_string_in_file", { replacements: [replacement] })).toEqual({
      kind: "replacements",
      replacements,
    });
    const healed = "There was an error applying your original patch, and it was corrected:\n";
    expect(of("replace_string_in_file", replacement, healed + EDITED)).toBeNull();
    expect(of("create_file", { filePath: "/w/a.ts", content: "x" })).toEqual({
      kind: "content",
      text: "x",
      isNew: true,
    });
    expect(of("create_file", { filePath: "/w/a.ts", content: "// filepath: /w/a.ts\nx" })).toBeNull();
    expect(of("insert_edit_into_file", { filePath: "/w/a.ts", code: "x" })).toBeNull();
  });

  test("takes what a person asked for, and no context around it", () => {
    const environment = "<environment_info>\nx\n</environment_info>\n<workspace_info>\ny\n</workspace_info>";
    expect(dialect.isGenuineUser([environment])).toBe(false);
    expect(dialect.isGenuineUser(["<context>\nx\n</context>\n<userRequest>\ngo\n</userRequest>"])).toBe(true);
    expect(dialect.isGenuineUser(["go"])).toBe(true);
    expect(dialect.isGenuineUser(["<conversation-summary>\nx\n</conversation-summary>"])).toBe(false);
    expect(dialect.isFold([environment, "<conversation-summary>\nx\n</conversation-summary>"])).toBe(true);
  });

  test("reads the working directory where the workspace has one folder", () => {
    const words = "<workspace_info>\nI am working in a workspace with the following folders:\n- /w/app \n";
    expect(dialect.workingDirectoryOf([`${words}I am working in a workspace that has`])).toBe("/w/app");
    expect(dialect.workingDirectoryOf([`${words}- /w/other \n`])).toBeNull();
  });

  test("is known by its user agent, its words or its tools", () => {
    expect(dialect.recognises(headerOf({}), "GitHubCopilotChat/0.33.0")).toBe(true);
    const toolNames = ["read_file", "run_in_terminal", "get_errors", "apply_patch"];
    expect(dialect.recognises(headerOf({ toolNames }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_file", "run_in_terminal"] }), null)).toBe(false);
  });
});
