import { describe, expect, test } from "vitest";
import { acquired, sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createCursorDialect } from "./cursor.ts";

const dialect = createCursorDialect();

function read(input: object, text: string) {
  return { tool: "read_file", input: { target_file: "a.ts", ...input }, text };
}

describe("the Cursor dialect", () => {
  const samples = [
    sampleOf("a file", read({}, "     1|a\n     2|\n     3|c"), {
      kind: "read",
      outcome: "ok",
      path: "a.ts",
      window: { start: 1, end: null, part: null },
      printed: { start: 1, end: 3 },
    }),
    sampleOf("an empty file", read({}, "File is empty."), { outcome: "ok", printed: { start: 1, end: 0 } }),
    sampleOf("a file that is not there", read({}, "Error: file not found"), { outcome: "failed" }),
    sampleOf(
      "a replacement",
      {
        tool: "search_replace",
        input: { file_path: "a.ts", old_string: "a", new_string: "b" },
        text: "The file a.ts has been updated.",
      },
      {
        kind: "edit",
        changes: [{ kind: "edit", path: "a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "a replacement that fits nowhere",
      { tool: "StrReplace", input: { path: "a.ts" }, text: "The string to replace was not found in the file." },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "a sketched edit",
      { tool: "edit_file", input: { target_file: "a.ts", code_edit: "// …" }, text: "done" },
      { kind: "edit" },
    ),
    sampleOf(
      "a write",
      { tool: "write", input: { file_path: "a.ts", contents: "x" }, text: "Wrote contents to a.ts" },
      {
        kind: "write",
        changes: [{ kind: "write", path: "a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "a removal",
      { tool: "delete_file", input: { target_file: "a.ts" }, text: "Successfully deleted file" },
      {
        kind: "delete",
        changes: [{ kind: "delete", path: "a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "a command whose program complains, and that states no code",
      { tool: "Shell", input: { command: "sed -i s/a/b/ f" }, text: "sed: can't read f: No such file or directory\n" },
      { kind: "run", changes: [] },
    ),
    sampleOf(
      "a command",
      { tool: "run_terminal_cmd", input: { command: "echo > f", is_background: false }, text: "Exit code: 0\n" },
      {
        kind: "run",
        changes: [{ kind: "write", path: "f", source: "shell" }],
      },
    ),
    sampleOf(
      "a command that fails",
      { tool: "Shell", input: { command: "echo > f" }, text: "Exit code: 1\n" },
      { outcome: "failed" },
    ),
    sampleOf(
      "a search",
      { tool: "codebase_search", input: { query: "x" }, text: "" },
      { kind: "search", command: "x" },
    ),
    sampleOf("a list of tasks", { tool: "todo_write", input: {}, text: "" }, { kind: "other" }),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test.each([
    [
      { offset: 10, limit: 5 },
      { start: 10, end: 14, part: null },
    ],
    [{ offset: 10 }, { start: 10, end: null, part: null }],
    [
      { offset: -10, limit: 5 },
      { start: 1, end: null, part: "offset -10 limit 5" },
    ],
    [
      { start_line_one_indexed: 3, end_line_one_indexed_inclusive: 7 },
      { start: 3, end: 7, part: null },
    ],
    [
      { start_line_one_indexed: 3, end_line_one_indexed_inclusive: 999 },
      { start: 3, end: 252, part: null },
    ],
    [
      { start_line_one_indexed: 3, end_line_one_indexed_inclusive: 7, should_read_entire_file: true },
      { start: 1, end: null, part: null },
    ],
  ])("asks with %j for %j", (range, window) => {
    expect(acquired(dialect, read(range, "x"), null).window).toEqual(window);
  });

  test("states replacements and contents", () => {
    const input = { file_path: "a.ts", old_string: "a", new_string: "b" };
    const replacements = [{ from: "a", to: "b", isAll: false }];
    expect(stated(dialect, { tool: "search_replace", input, text: "" })).toEqual({
      kind: "replacements",
      replacements,
    });
    expect(stated(dialect, { tool: "edit_file", input: { target_file: "a", code_edit: "x" }, text: "" })).toBeNull();
  });

  test("is known by its words or its tools", () => {
    expect(
      dialect.recognises(headerOf({ systemTexts: ["You are an AI coding assistant. You operate in Cursor."] }), null),
    ).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_file", "run_terminal_cmd"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_file"] }), null)).toBe(false);
    expect(dialect.isGenuineUser(["<user_info>\nx\n</user_info>"])).toBe(false);
    expect(dialect.isGenuineUser(["<user_query>\ngo\n</user_query>"])).toBe(true);
  });
});
