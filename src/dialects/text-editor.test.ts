import { describe, expect, test } from "vitest";
import { acquired, sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { JsonValue } from "../model/json.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createTextEditorDialect } from "./text-editor.ts";

const dialect = createTextEditorDialect();
const TOOL = "str_replace_based_edit_tool";

function edit(input: object, text: string, isError = false) {
  return { tool: TOOL, input: { path: "/w/a.ts", ...input }, text, isError };
}

const replacement = { command: "str_replace", old_str: "a", new_str: "b" };

describe("the dialect of the text editor tool", () => {
  const samples = [
    sampleOf("a view with numbers as documented", edit({ command: "view" }, "1: a\n2: \n3: c"), {
      kind: "read",
      outcome: "ok",
      path: "/w/a.ts",
      window: { start: 1, end: null, part: null },
      printed: { start: 1, end: 3 },
    }),
    sampleOf("a view as `cat -n`", edit({ command: "view", view_range: [9, 10] }, "     9\ta\n    10\tb"), {
      window: { start: 9, end: 10, part: null },
      printed: { start: 9, end: 10 },
    }),
    sampleOf("a view without numbers", edit({ command: "view", view_range: [9, -1] }, "a\nb"), {
      window: { start: 9, end: null, part: null },
      printed: null,
    }),
    sampleOf(
      "a view of a folder",
      edit({ command: "view" }, "Here's the files and directories up to 2 levels deep in /w:"),
      {
        kind: "search",
        command: "/w/a.ts",
      },
    ),
    sampleOf("a view that fails by the API's word", edit({ command: "view" }, "nothing there", true), {
      outcome: "failed",
    }),
    sampleOf("a view that fails by its own words", edit({ command: "view" }, "Error: File not found"), {
      outcome: "failed",
    }),
    sampleOf("a content that speaks of errors", edit({ command: "view" }, "1: throw new Error()"), { outcome: "ok" }),
    sampleOf("a replacement", edit(replacement, "Successfully replaced text at exactly one location."), {
      kind: "edit",
      outcome: "ok",
      changes: [{ kind: "edit", path: "/w/a.ts", source: "tool" }],
    }),
    sampleOf("a replacement that fits nowhere", edit(replacement, "No match found for replacement."), {
      outcome: "failed",
      changes: [],
    }),
    sampleOf("an insertion", edit({ command: "insert", insert_line: 0, insert_text: "x" }, "done"), {
      kind: "edit",
      changes: [{ kind: "edit", path: "/w/a.ts", source: "tool" }],
    }),
    sampleOf("an undone edit", edit({ command: "undo_edit" }, "done"), {
      kind: "edit",
      changes: [{ kind: "edit", path: "/w/a.ts", source: "tool" }],
    }),
    sampleOf("a new file", edit({ command: "create", file_text: "x" }, "done"), {
      kind: "write",
      changes: [{ kind: "write", path: "/w/a.ts", source: "tool" }],
    }),
    sampleOf("a command nobody knows", edit({ command: "rename" }, "done"), { kind: "other", changes: [] }),
    sampleOf(
      "a shell command",
      { tool: "bash", input: { command: "echo > f" }, text: "" },
      {
        kind: "run",
        changes: [{ kind: "write", path: "f", source: "shell" }],
      },
    ),
    sampleOf(
      "a restart of the shell",
      { tool: "bash", input: { restart: true }, text: "" },
      { kind: "run", command: null },
    ),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test.each<[JsonValue, number, number | null]>([
    [null, 1, null],
    [[1, 1], 1, 1],
    [[5, 9], 5, 9],
    [[5, -1], 5, null],
    [[0, 9], 1, 9],
    [[9, 5], 9, null],
    [[5], 5, null],
    ["5-9", 1, null],
    [[5.5, "9"], 1, null],
  ])("asks with view_range %j for lines %i to %s", (view_range, start, end) => {
    const { window } = acquired(dialect, edit({ command: "view", view_range }, "a"), null);
    expect(window).toEqual({ start, end, part: null });
  });

  test("states replacements, an absent new text being none, and contents", () => {
    const replacements = [{ from: "a", to: "", isAll: false }];
    expect(stated(dialect, edit({ command: "str_replace", old_str: "a" }, "done"))).toEqual({
      kind: "replacements",
      replacements,
    });
    expect(stated(dialect, edit({ command: "create", file_text: "x" }, "done"))).toEqual({
      kind: "content",
      text: "x",
      isNew: false,
    });
    expect(stated(dialect, edit({ command: "insert", insert_line: 1, insert_text: "x" }, "done"))).toBeNull();
    expect(stated(dialect, edit({ command: "str_replace", new_str: "a" }, "done"))).toBeNull();
  });

  test("is known by the tool alone, and runs a shell only where one is offered", () => {
    expect(dialect.recognises(headerOf({ toolNames: [TOOL, "weather"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["bash"] }), null)).toBe(false);
    expect(dialect.hasShell([TOOL])).toBe(false);
    expect(dialect.hasShell([TOOL, "bash"])).toBe(true);
  });
});
