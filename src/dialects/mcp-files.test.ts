import { describe, expect, test } from "vitest";
import { acquired, sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createClaudeCodeDialect } from "./claude-code.ts";
import { createMcpFilesDialect, withMcpFiles } from "./mcp-files.ts";

const dialect = createMcpFilesDialect();

function read(input: object, text: string, tool = "read_text_file") {
  return { tool, input: { path: "/w/f", ...input }, text };
}

const edits = [{ oldText: "a", newText: "b" }];
const DIFF = "```diff\n--- /w/f\n+++ /w/f\n```\n\n";

describe("the dialect of the MCP filesystem server", () => {
  const samples = [
    sampleOf("a file", read({}, "a\nb"), {
      kind: "read",
      outcome: "ok",
      path: "/w/f",
      window: { start: 1, end: null, part: null },
      printed: null,
    }),
    sampleOf("the first lines", read({ head: 3 }, "a\nb\nc"), { window: { start: 1, end: 3, part: null } }),
    sampleOf("the last lines", read({ tail: 3 }, "a\nb\nc"), { window: { start: 1, end: null, part: "last 3 lines" } }),
    sampleOf("a file by a prefixed name", read({}, "a", "mcp__filesystem__read_file"), { kind: "read", path: "/w/f" }),
    sampleOf("a file out of bounds", read({}, "Error: Access denied - path outside allowed directories"), {
      outcome: "failed",
    }),
    sampleOf("a file that is not there", read({}, "ENOENT: no such file or directory, open '/w/f'"), {
      outcome: "failed",
    }),
    sampleOf("a file that a client cut", read({}, "a\n\u20261200 tokens truncated\u2026\nz"), {
      outcome: "ok",
      window: { start: 1, end: null, part: "output of call-1" },
    }),
    sampleOf(
      "one file of a list that is not there",
      { tool: "read_multiple_files", input: { paths: ["/w/f"] }, text: "/w/f: Error - ENOENT: no such file" },
      { kind: "read", outcome: "failed" },
    ),
    sampleOf(
      "several files",
      { tool: "read_multiple_files", input: { paths: ["/w/f", "/w/g"] }, text: "/w/f:\na\n" },
      {
        kind: "read",
        path: null,
        window: null,
      },
    ),
    sampleOf(
      "several files that are one",
      { tool: "read_multiple_files", input: { paths: ["/w/f"] }, text: "/w/f:\na\n" },
      {
        path: "/w/f",
      },
    ),
    sampleOf(
      "a write",
      { tool: "write_file", input: { path: "/w/f", content: "x" }, text: "Successfully wrote to /w/f" },
      {
        kind: "write",
        changes: [{ kind: "write", path: "/w/f", source: "tool" }],
      },
    ),
    sampleOf(
      "an edit",
      { tool: "edit_file", input: { path: "/w/f", edits }, text: DIFF },
      {
        kind: "edit",
        changes: [{ kind: "edit", path: "/w/f", source: "tool" }],
      },
    ),
    sampleOf(
      "an edit on trial",
      { tool: "edit_file", input: { path: "/w/f", edits, dryRun: true }, text: DIFF },
      {
        kind: "edit",
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "an edit that fits nowhere",
      { tool: "edit_file", input: { path: "/w/f", edits }, text: "Could not find exact match" },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "a move",
      { tool: "move_file", input: { source: "/w/f", destination: "/w/g" }, text: "Successfully moved /w/f to /w/g" },
      {
        kind: "rename",
        path: "/w/f",
        changes: [
          { kind: "rename", path: "/w/f", source: "tool" },
          { kind: "rename", path: "/w/g", source: "tool" },
        ],
      },
    ),
    sampleOf(
      "a folder",
      { tool: "list_directory", input: { path: "/w" }, text: "[FILE] f" },
      { kind: "search", command: "/w" },
    ),
    sampleOf(
      "facts of a file",
      { tool: "get_file_info", input: { path: "/w/f" }, text: "size: 1" },
      { kind: "other", path: null },
    ),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("states edits that were made", () => {
    const replacements = [{ from: "a", to: "b", isAll: false }];
    expect(stated(dialect, { tool: "edit_file", input: { path: "f", edits }, text: DIFF })).toEqual({
      kind: "replacements",
      replacements,
    });
    expect(stated(dialect, { tool: "edit_file", input: { path: "f", edits, dryRun: true }, text: DIFF })).toBeNull();
  });

  test("is known by its set of tools, with or without a prefix", () => {
    const toolNames = ["read_text_file", "write_file", "edit_file", "move_file"];
    expect(dialect.recognises(headerOf({ toolNames }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: toolNames.map((name) => `mcp__files__${name}`) }), null)).toBe(
      true,
    );
    expect(dialect.recognises(headerOf({ toolNames: toolNames.slice(1) }), null)).toBe(false);
  });

  test("is understood beside an agent's own tools, where the server is named for files", () => {
    const host = withMcpFiles(createClaudeCodeDialect());
    const of = (tool: string, input: object = { path: "/w/f" }) =>
      acquired(host, { tool, input: { ...input }, text: "a" }, null);
    expect(of("mcp__filesystem__read_text_file")).toMatchObject({ kind: "read", path: "/w/f" });
    expect(of("mcp__my-fs__read_file")).toMatchObject({ kind: "read", path: "/w/f" });
    expect(of("mcp__github__read_file")).toMatchObject({ kind: "other", path: null });
    expect(of("mcp__filesystem__read_file", { uri: "x" })).toMatchObject({ kind: "other" });
    expect(of("mcp__filesystem__frobnicate")).toMatchObject({ kind: "other" });
    expect(of("Read", { file_path: "/w/f" })).toMatchObject({ kind: "read", path: "/w/f" });
    expect(host.name).toBe("claude-code");
    const change = { tool: "mcp__filesystem__edit_file", input: { path: "f", edits }, text: DIFF };
    expect(stated(host, change)?.kind).toBe("replacements");
  });
});
