import { describe, expect, test } from "vitest";
import { sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { JsonValue } from "../model/json.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createClineDialect } from "./cline.ts";

const dialect = createClineDialect();

function answer(...results: readonly (string | null)[]): string {
  return JSON.stringify(
    results.map((result) =>
      result === null
        ? { query: "q", result: "", error: "Error reading file: ENOENT", success: false }
        : { query: "q", result, success: true },
    ),
  );
}

function read(input: JsonValue, text: string) {
  return { tool: "read_files", input, text };
}

const done = (result: string) => JSON.stringify({ query: "edit:/w/f", result, success: true });
const edit = { path: "/w/f", old_text: "a", new_text: "b" };

describe("the Cline dialect", () => {
  const samples = [
    sampleOf("a range", read({ files: [{ path: "/w/f", start_line: 9, end_line: 10 }] }, answer(" 9 | a\n10 | b")), {
      kind: "read",
      outcome: "ok",
      path: "/w/f",
      window: { start: 9, end: 10, part: null },
      printed: { start: 9, end: 10 },
    }),
    sampleOf(
      "a capped file",
      read("/w/f", answer("1 | a\n2 | \n\n[Showing lines 1-2 of 9. Use start_line/end_line to read other sections.]")),
      { window: { start: 1, end: null, part: null }, printed: { start: 1, end: 2 } },
    ),
    sampleOf("a file that is empty", read({ paths: ["/w/f"] }, answer("")), { printed: { start: 1, end: 0 } }),
    sampleOf("a file under another name", read({ file_paths: "/w/f" }, answer("1 | a")), { path: "/w/f" }),
    sampleOf("a file that is not there", read({ files: "/w/f" }, answer(null)), { outcome: "failed", printed: null }),
    sampleOf("several files", read({ files: ["/w/f", { path: "/w/g" }] }, answer("1 | a", "1 | b")), {
      kind: "read",
      outcome: "ok",
      path: null,
      window: null,
    }),
    sampleOf("an answer of another form", read("/w/f", "1 | a"), { outcome: "failed" }),
    sampleOf(
      "an edit",
      { tool: "editor", input: edit, text: done("Edited /w/f\n```diff\n```") },
      {
        kind: "edit",
        outcome: "ok",
        changes: [{ kind: "edit", path: "/w/f", source: "tool" }],
      },
    ),
    sampleOf(
      "an edit whose text does not stand there",
      { tool: "editor", input: edit, text: JSON.stringify({ query: "q", result: "", error: "no", success: false }) },
      { kind: "edit", outcome: "failed", changes: [] },
    ),
    sampleOf(
      "a file made by an edit",
      { tool: "editor", input: edit, text: done("File created successfully at: /w/f") },
      { kind: "write", changes: [{ kind: "write", path: "/w/f", source: "tool" }] },
    ),
    sampleOf(
      "commands of which one fails",
      { tool: "run_commands", input: { commands: ["echo > a", "echo > b"] }, text: answer("", null) },
      {
        kind: "run",
        outcome: "ok",
        command: "echo > a\necho > b",
        changes: [{ kind: "write", path: "a", source: "shell" }],
      },
    ),
    sampleOf(
      "a program that no shell sees",
      { tool: "run_commands", input: { commands: [{ command: "tee", args: ["a > b"] }] }, text: answer("") },
      { command: "tee a > b", changes: [{ kind: "write", path: "a > b", source: "shell" }] },
    ),
    sampleOf(
      "a file printed by a command",
      { tool: "run_commands", input: "cat f", text: answer("a\nb\n") },
      {
        kind: "run",
        isShellRead: true,
        path: "f",
        printed: { start: 1, end: 2 },
      },
    ),
    sampleOf(
      "a file of which a client left the middle out",
      { tool: "run_commands", input: "cat f", text: answer("a\n... [900 lines truncated] ...\nz\n") },
      { isShellRead: false, path: null },
    ),
    sampleOf(
      "a search",
      { tool: "search_codebase", input: { queries: ["a", "b"] }, text: answer("x") },
      {
        kind: "search",
        command: "a\nb",
      },
    ),
    sampleOf(
      "a fetch",
      {
        tool: "fetch_web_content",
        input: { requests: [{ url: "https://a.example", prompt: "p" }] },
        text: answer("x"),
      },
      { kind: "fetch", command: "https://a.example" },
    ),
    sampleOf("a question", { tool: "ask_question", input: { question: "?" }, text: "yes" }, { kind: "other" }),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("states the change of a replacement and of a new file, and of nothing else", () => {
    const of = (input: JsonValue, result: string) => stated(dialect, { tool: "editor", input, text: done(result) });
    const replacements = [{ from: "a", to: "b", isAll: false }];
    expect(of(edit, "Edited /w/f\n")).toEqual({ kind: "replacements", replacements });
    expect(of(edit, "File created successfully at: /w/f")).toEqual({ kind: "content", text: "b", isNew: true });
    expect(of({ ...edit, old_text: null, insert_line: 3 }, "Inserted content at line 3 in /w/f.")).toBeNull();
  });

  test("takes what Cline wraps for a person's words, its summary for a fold, and other elements for neither", () => {
    expect(dialect.isGenuineUser(['<user_input mode="act">go</user_input>'])).toBe(true);
    expect(dialect.isGenuineUser(["<file_content path='f'>\nx\n</file_content>"])).toBe(false);
    expect(dialect.isGenuineUser(["Context summary:\n\n## Goal"])).toBe(false);
    expect(dialect.isFold(["Context summary:\n\n## Goal"])).toBe(true);
  });

  test("is known by its tools or its system prompt, which states the working directory", () => {
    const systemTexts = ["You are Cline, an AI coding agent.\n<env>\n4. Working Directory: /w/app\n</env>"];
    expect(dialect.recognises(headerOf({ systemTexts }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_files", "editor", "run_commands"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_files", "editor"] }), null)).toBe(false);
    expect(dialect.workingDirectoryOf(systemTexts)).toBe("/w/app");
    expect(dialect.hasShell(["editor"])).toBe(false);
    expect(dialect.hasShell(["run_commands"])).toBe(true);
  });
});
