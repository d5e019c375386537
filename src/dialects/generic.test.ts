import { describe, expect, test } from "vitest";
import { acquired, sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { JsonValue } from "../model/json.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createGenericDialect } from "./generic.ts";

const dialect = createGenericDialect();
const other = { kind: "other", outcome: "ok", path: null, changes: [] } as const;

describe("the generic dialect", () => {
  const samples = [
    ...["Read", "edit", "bash"].map((tool) =>
      sampleOf(
        `${tool} with what it never takes`,
        { tool, input: { path: "/w/f", command: "rm f" }, text: "x" },
        other,
      ),
    ),
    sampleOf(
      "a read",
      { tool: "read_file", input: { path: "/w/f" }, text: "a\nb" },
      {
        kind: "read",
        outcome: "ok",
        path: "/w/f",
        window: { start: 1, end: null, part: null },
        printed: null,
      },
    ),
    sampleOf(
      "a read that a client cut",
      { tool: "read_file", input: { path: "/w/f" }, text: "a\n[Output truncated: 9 lines omitted]" },
      { kind: "read", window: { start: 1, end: null, part: "output of call-1" } },
    ),
    ...["ENOENT: no such file or directory, open '/w/f'", "File not found: /w/f", "Access denied"].map((text) =>
      sampleOf(
        `a read answered with ${text}`,
        { tool: "read_file", input: { path: "/w/f" }, text },
        {
          kind: "read",
          outcome: "failed",
        },
      ),
    ),
    sampleOf(
      "a read that numbers its lines",
      { tool: "Read", input: { filePath: "/w/f" }, text: "  1\ta\n  2\tb\n…" },
      {
        printed: { start: 1, end: 2 },
      },
    ),
    sampleOf(
      "a range in units nobody stated",
      { tool: "readFile", input: { path: "/w/f", limit: 3, offset: 2 }, text: "a" },
      {
        window: { start: 1, end: null, part: "offset 2 limit 3" },
        printed: null,
      },
    ),
    sampleOf(
      "a read that fails by its own words",
      { tool: "read", input: { path: "/w/f" }, text: "Error: no such file" },
      {
        kind: "read",
        outcome: "failed",
      },
    ),
    sampleOf("a read of two places", { tool: "read", input: { path: "/w/f", file: "/w/g" }, text: "" }, other),
    sampleOf(
      "a read from elsewhere",
      { tool: "read_file", input: { path: "f", owner: "a", repo: "b" }, text: "" },
      other,
    ),
    sampleOf(
      "an edit",
      { tool: "edit", input: { path: "f", oldText: "a", newText: "b" }, text: "done" },
      {
        kind: "edit",
        changes: [{ kind: "edit", path: "f", source: "tool" }],
      },
    ),
    sampleOf(
      "several edits",
      { tool: "mcp__x__edit_file", input: { path: "f", edits: [{ old_str: "a", new_str: "b" }] }, text: "" },
      {
        kind: "edit",
      },
    ),
    sampleOf(
      "an edit that does not apply",
      { tool: "edit", input: { path: "f", oldText: "a", newText: "b" }, text: "oldText not found" },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "an edit on trial",
      { tool: "edit", input: { path: "f", oldText: "a", newText: "b", dryRun: true }, text: "" },
      other,
    ),
    sampleOf(
      "an edit by a description",
      { tool: "edit", input: { path: "f", instructions: "make it better" }, text: "" },
      other,
    ),
    sampleOf(
      "a write",
      { tool: "writeFile", input: { filename: "f", content: "" }, text: "done" },
      {
        kind: "write",
        changes: [{ kind: "write", path: "f", source: "tool" }],
      },
    ),
    sampleOf(
      "text put behind a file",
      { tool: "write", input: { path: "f", text: "x", append: true }, text: "" },
      other,
    ),
    sampleOf("a removal", { tool: "delete_file", input: { path: "f" }, text: "done" }, { kind: "delete" }),
    sampleOf(
      "a command",
      { tool: "shell", input: { command: "echo > f", cwd: "/w" }, text: "" },
      {
        kind: "run",
        command: "echo > f",
        workingDirectory: "/w",
        changes: [{ kind: "write", path: "f", source: "shell" }],
      },
    ),
    sampleOf("a tool nobody knows", { tool: "lookup", input: { path: "f" }, text: "" }, other),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("states what a call states, and nothing of another shape", () => {
    const of = (tool: string, input: JsonValue) => stated(dialect, { tool, input, text: "" });
    const replacements = [{ from: "a", to: "b", isAll: true }];
    expect(of("edit", { path: "f", old_string: "a", new_string: "b", replace_all: true })).toEqual({
      kind: "replacements",
      replacements,
    });
    expect(of("write", { path: "f", contents: "x" })).toEqual({ kind: "content", text: "x", isNew: false });
    expect(of("write", { path: "f", contents: "x", mode: "a" })).toBeNull();
    expect(of("delete_file", { path: "f" })).toBeNull();
  });

  test("tells ranges apart that are written differently", () => {
    const of = (input: object) =>
      acquired(dialect, { tool: "read", input: { path: "f", ...input }, text: "" }, null).window;
    expect(of({ offset: 1 })).not.toEqual(of({ offset: 0 }));
    expect(of({ limit: 2, offset: 1 })).toEqual(of({ offset: 1, limit: 2 }));
    expect(of({ offset: null })).toEqual(of({}));
  });

  test("takes any words for a person's, those of a single element apart", () => {
    expect(dialect.isGenuineUser(["<environment>\nx\n</environment>"])).toBe(false);
    expect(dialect.isGenuineUser(["<a>x</a> is what I see"])).toBe(true);
    expect(dialect.isGenuineUser(["<a>x</b>"])).toBe(true);
    expect(dialect.isGenuineUser(["<a>x</a>", "go"])).toBe(true);
  });

  test("recognises everything and names no shell", () => {
    expect(dialect.recognises(headerOf({ toolNames: ["bash"] }), null)).toBe(true);
    expect(dialect.hasShell(["bash"])).toBe(false);
  });
});
