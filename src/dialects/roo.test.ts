import { describe, expect, test } from "vitest";
import { sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { JsonValue } from "../model/json.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createRooDialect } from "./roo.ts";

const dialect = createRooDialect();
const modified = JSON.stringify({ path: "a.ts", operation: "modified", notice: "Proceed with the task." });
const created = JSON.stringify({ path: "a.ts", operation: "created", notice: "Proceed with the task." });
const failed = JSON.stringify({ status: "error", message: "The tool execution failed", error: "No match found" });
const CUT =
  "File: a.ts\nIMPORTANT: File content truncated.\n\tStatus: Showing lines 3-4 of 9 total lines.\n" +
  "\tTo read more: Use the read_file tool with offset=5 and limit=2.\n\t\n\t3 | a\n4 | b";

function read(input: JsonValue, text: string) {
  return { tool: "read_file", input, text };
}

function command(text: string) {
  return { tool: "execute_command", input: { command: "echo > f", cwd: "/w" }, text };
}

describe("the Roo dialect", () => {
  const samples = [
    sampleOf("a whole file", read({ path: "a.ts" }, "File: a.ts\n1 | a\n2 | "), {
      kind: "read",
      outcome: "ok",
      path: "a.ts",
      window: { start: 1, end: 2000, part: null },
      printed: { start: 1, end: 2 },
    }),
    sampleOf("a cut slice", read({ path: "a.ts", offset: 3, limit: 2 }, CUT), {
      window: { start: 3, end: 4, part: null },
      printed: { start: 3, end: 4 },
    }),
    sampleOf(
      "a block around a line",
      read({ path: "a.ts", mode: "indentation", indentation: { anchor_line: 7 } }, "File: a.ts\n6 | a\n7 | b"),
      { window: { start: 1, end: null, part: 'block {"anchor_line":7}' }, printed: { start: 6, end: 7 } },
    ),
    sampleOf(
      "a range of an earlier form",
      read({ files: [{ path: "a.ts", line_ranges: [[3, 4]] }] }, "File: a.ts\nLines 3-4:\n3 | a\n4 | b"),
      { path: "a.ts", window: { start: 3, end: 4, part: null }, printed: { start: 3, end: 4 } },
    ),
    sampleOf("several files", read({ files: [{ path: "a" }, { path: "b" }] }, "File: a\n1 | a\n\n---\n\nFile: b"), {
      kind: "read",
      path: null,
      window: null,
    }),
    sampleOf("an empty file", read({ path: "a" }, "File: a\nNote: File is empty"), { printed: { start: 1, end: 0 } }),
    sampleOf("a file that is not there", read({ path: "a" }, "File: a\nError: Error reading file: ENOENT"), {
      outcome: "failed",
      printed: null,
    }),
    sampleOf("a denied read", read({ path: "a" }, "File: a\nStatus: Denied by user"), { outcome: "interrupted" }),
    sampleOf(
      "a write",
      { tool: "write_to_file", input: { path: "a.ts", content: "x" }, text: created },
      {
        kind: "write",
        outcome: "ok",
        changes: [{ kind: "write", path: "a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "a diff",
      { tool: "apply_diff", input: { path: "a.ts", diff: "…" }, text: `${modified}\n<notice>x</notice>` },
      {
        kind: "edit",
        changes: [{ kind: "edit", path: "a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "a diff that fits nowhere",
      { tool: "apply_diff", input: { path: "a.ts", diff: "…" }, text: failed },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "a rejected edit",
      { tool: "edit", input: { file_path: "a.ts" }, text: "Changes were rejected by the user." },
      { kind: "edit", outcome: "interrupted", changes: [] },
    ),
    sampleOf(
      "an edit of nothing",
      { tool: "edit", input: { file_path: "a" }, text: "No changes needed for 'a'" },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "a command",
      command("Command executed in terminal within working directory '/w'. Exit code: 0\nOutput:\n"),
      {
        kind: "run",
        outcome: "ok",
        command: "echo > f",
        workingDirectory: "/w",
        changes: [{ kind: "write", path: "f", source: "shell" }],
      },
    ),
    sampleOf("a command that fails", command("Command executed in terminal. Exit code: 2\nOutput:\n"), {
      outcome: "failed",
      changes: [],
    }),
    sampleOf("a command that still runs", command("Command is still running in terminal 1."), {
      outcome: "missing",
      changes: [],
    }),
    sampleOf(
      "a search",
      { tool: "search_files", input: { path: ".", regex: "x" }, text: "Found 0 results." },
      {
        kind: "search",
        command: "x",
      },
    ),
    sampleOf("an end", { tool: "attempt_completion", input: { result: "x" }, text: "" }, { kind: "other" }),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("states a write only where the client wrote what the call says", () => {
    const of = (content: string, text: string) =>
      stated(dialect, { tool: "write_to_file", input: { path: "a.ts", content }, text });
    expect(of("x", created)).toEqual({ kind: "content", text: "x", isNew: true });
    expect(of("x\n", modified)).toEqual({ kind: "content", text: "x\n", isNew: false });
    expect(of("x", modified)).toBeNull();
    expect(of("```\nx\n```\n", created)).toBeNull();
    expect(of("a &lt; b\n", created)).toBeNull();
    expect(of("x\n", modified.replace("}", ',"user_edits":"@@"}'))).toBeNull();
    expect(of("x\n", failed)).toBeNull();
  });

  test("states a replacement, unless it is to be made a number of times", () => {
    const of = (more: object) => {
      const input = { file_path: "a.ts", old_string: "a", new_string: "b", ...more };
      return stated(dialect, { tool: "edit_file", input, text: modified });
    };
    expect(of({})).toEqual({ kind: "replacements", replacements: [{ from: "a", to: "b", isAll: false }] });
    expect(of({ replace_all: true })).toEqual({
      kind: "replacements",
      replacements: [{ from: "a", to: "b", isAll: true }],
    });
    expect(of({ expected_replacements: 2 })).toBeNull();
  });

  test("takes the environment and automated messages for no person's words", () => {
    const environment =
      "<environment_details>\n# Current Workspace Directory (/w/app) Files\na.ts\n</environment_details>";
    expect(dialect.isGenuineUser([environment])).toBe(false);
    expect(dialect.isGenuineUser(["<user_message>\ngo\n</user_message>", environment])).toBe(true);
    expect(dialect.isGenuineUser(["[ERROR] You did not use a tool in your previous response!", environment])).toBe(
      false,
    );
    expect(dialect.isFold(["## Conversation Summary\nx", environment])).toBe(true);
    expect(dialect.workingDirectoryOf([environment])).toBe("/w/app");
    expect(dialect.workingDirectoryOf(["Default Shell: zsh\nCurrent Workspace Directory: /w/b\n"])).toBe("/w/b");
  });

  test("is known by its user agent, its system prompt or its tools", () => {
    expect(dialect.recognises(headerOf({}), "RooCode/3.36.0")).toBe(true);
    expect(dialect.recognises(headerOf({ systemTexts: ["You are Roo, a highly skilled engineer"] }), null)).toBe(true);
    const toolNames = ["read_file", "apply_diff", "write_to_file", "execute_command", "attempt_completion"];
    expect(dialect.recognises(headerOf({ toolNames }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: toolNames.slice(1) }), null)).toBe(false);
  });
});
