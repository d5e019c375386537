import { describe, expect, test } from "vitest";
import { acquired, sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createLangChainDialect } from "./langchain.ts";

const dialect = createLangChainDialect();

function read(input: object, text: string) {
  return { tool: "read_file", input: { file_path: "/f", ...input }, text };
}

function change(tool: string, input: object, text: string) {
  return { tool, input: { file_path: "/f", ...input }, text };
}

describe("the LangChain dialect", () => {
  const samples = [
    sampleOf("a file", read({}, "     1\ta\n     2\t\n     3\tc"), {
      kind: "read",
      outcome: "ok",
      path: "/f",
      window: { start: 1, end: null, part: null },
      printed: { start: 1, end: 3 },
    }),
    sampleOf("a page, which counts from 0", read({ offset: 100, limit: 2 }, "   101\ta\n   102\tb"), {
      window: { start: 101, end: 102, part: null },
      printed: { start: 101, end: 102 },
    }),
    sampleOf("a long line in pieces", read({}, "     1\ta\n   1.1\tb\n   1.2\tc\n     2\td"), {
      printed: { start: 1, end: 2 },
    }),
    sampleOf(
      "a cut output",
      read({}, "     1\ta\n     2\tb\n     3\tha\n\n[Output was truncated due to size limits. The"),
      {
        printed: { start: 1, end: 2 },
      },
    ),
    sampleOf("an empty file", read({}, "System reminder: File exists but has empty contents"), {
      printed: { start: 1, end: 0 },
    }),
    sampleOf("a content without numbers", read({}, "a\nb"), { outcome: "ok", printed: null }),
    sampleOf("a file that is not there", read({}, "Error: File '/f' not found"), { outcome: "failed" }),
    sampleOf("a write", change("write_file", { content: "x" }, "Updated file /f"), {
      kind: "write",
      changes: [{ kind: "write", path: "/f", source: "tool" }],
    }),
    sampleOf(
      "a file that may not be written",
      change("write_file", { content: "x" }, "Cannot write to /f because it already exists."),
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "an edit",
      change(
        "edit_file",
        { old_string: "a", new_string: "b" },
        "Successfully replaced 1 instance(s) of the string in '/f'",
      ),
      {
        kind: "edit",
        changes: [{ kind: "edit", path: "/f", source: "tool" }],
      },
    ),
    sampleOf("an edit that fits nowhere", change("edit_file", {}, "Error: String not found in file: 'a'"), {
      outcome: "failed",
      changes: [],
    }),
    sampleOf("a removal", change("delete", {}, "Deleted /f"), {
      kind: "delete",
      changes: [{ kind: "delete", path: "/f", source: "tool" }],
    }),
    sampleOf("a write of the older toolkit", change("write_file", { text: "x" }, "File written successfully to f."), {
      outcome: "ok",
    }),
    sampleOf(
      "a move of the older toolkit",
      {
        tool: "move_file",
        input: { source_path: "a", destination_path: "b" },
        text: "File moved successfully from a to b.",
      },
      { kind: "rename", path: "a" },
    ),
    sampleOf(
      "a command",
      { tool: "execute", input: { command: "echo > f" }, text: "\n[Command succeeded with exit code 0]" },
      {
        kind: "run",
        changes: [{ kind: "write", path: "f", source: "shell" }],
      },
    ),
    sampleOf(
      "a command that fails",
      { tool: "execute", input: { command: "echo > f" }, text: "\n[Command failed with exit code 1]" },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf("a search", { tool: "grep", input: { pattern: "x" }, text: "" }, { kind: "search", command: "x" }),
    sampleOf("tasks", { tool: "write_todos", input: {}, text: "" }, { kind: "other" }),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test.each([
    [{}, 1, null],
    [{ offset: 0 }, 1, null],
    [{ offset: 1 }, 2, null],
    [{ limit: 100 }, 1, 100],
    [{ offset: 0, limit: 100 }, 1, 100],
    [{ offset: 100, limit: 100 }, 101, 200],
    [{ offset: -1 }, 1, null],
    [{ offset: "100", limit: 100.0 }, 101, 200],
  ])("asks with %j for lines %i to %s", (range, start, end) => {
    expect(acquired(dialect, read(range, "     1\ta"), null).window).toEqual({ start, end, part: null });
  });

  test("states replacements and contents, but not what is put behind a file", () => {
    const given = change("edit_file", { old_string: "a", new_string: "b", replace_all: true }, "");
    expect(stated(dialect, given)).toEqual({
      kind: "replacements",
      replacements: [{ from: "a", to: "b", isAll: true }],
    });
    expect(stated(dialect, change("write_file", { text: "x" }, ""))).toEqual({
      kind: "content",
      text: "x",
      isNew: false,
    });
    expect(stated(dialect, change("write_file", { text: "x", append: true }, ""))).toBeNull();
  });

  test("is known by its words or tools, and takes its summaries for folds", () => {
    expect(
      dialect.recognises(headerOf({ toolNames: ["write_todos", "ls", "read_file", "write_file", "edit_file"] }), null),
    ).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_file", "write_file", "file_delete"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_file", "write_file", "edit_file"] }), null)).toBe(false);
    const summary = "Here is a summary of the conversation to date:\n\nx";
    expect(dialect.isFold([summary])).toBe(true);
    expect(dialect.isGenuineUser([summary])).toBe(false);
  });
});
