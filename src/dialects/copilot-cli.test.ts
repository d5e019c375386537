import { describe, expect, test } from "vitest";
import { sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createCopilotCliDialect } from "./copilot-cli.ts";

const dialect = createCopilotCliDialect();
const edit = { path: "/w/a.ts", old_str: "a", new_str: "b" };

function view(range: object, text: string) {
  return { tool: "view", input: { path: "/w/a.ts", ...range }, text };
}

function bash(command: string, text: string) {
  return { tool: "bash", input: { command }, text };
}

describe("the dialect of Copilot's command line", () => {
  const samples = [
    sampleOf("a file", view({}, "1. a\n2. \n3. c"), {
      kind: "read",
      path: "/w/a.ts",
      window: { start: 1, end: null, part: null },
      printed: { start: 1, end: 3 },
    }),
    sampleOf("a range", view({ view_range: [9, 10] }, "9. a\n10. b"), {
      window: { start: 9, end: 10, part: null },
      printed: { start: 9, end: 10 },
    }),
    sampleOf("a range to the end", view({ view_range: [9, -1] }, "9. a\n10. b"), {
      window: { start: 9, end: null, part: null },
    }),
    sampleOf("a folder", view({}, "a.ts\nb.ts"), { kind: "search", path: null, command: "/w/a.ts" }),
    sampleOf(
      "an edit",
      { tool: "edit", input: edit, text: "File /w/a.ts updated with changes." },
      {
        kind: "edit",
        outcome: "ok",
        changes: [{ kind: "edit", path: "/w/a.ts", source: "tool" }],
      },
    ),
    sampleOf(
      "an edit that fits nowhere",
      { tool: "edit", input: edit, text: "No match found" },
      {
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf(
      "a new file",
      { tool: "create", input: { path: "/w/b", file_text: "x" }, text: "Created file /w/b with 1 characters" },
      {
        kind: "write",
        changes: [{ kind: "write", path: "/w/b", source: "tool" }],
      },
    ),
    sampleOf("a command", bash("echo > f", "\n<exited with exit code 0>"), {
      kind: "run",
      outcome: "ok",
      changes: [{ kind: "write", path: "f", source: "shell" }],
    }),
    sampleOf("a command that fails", bash("echo > f", "no\n<exited with exit code 1>"), {
      outcome: "failed",
      changes: [],
    }),
    sampleOf("a command that still runs", bash("echo > f", "<command with shellId: 0 is still running>"), {
      outcome: "missing",
      changes: [],
    }),
    sampleOf("a file printed by a command", bash("cat a.ts", "a\nb\n<exited with exit code 0>"), {
      isShellRead: true,
      path: "a.ts",
      printed: { start: 1, end: 2 },
    }),
    sampleOf(
      "a pattern of files",
      { tool: "glob", input: { pattern: "*.ts" }, text: "" },
      { kind: "search", command: "*.ts" },
    ),
    sampleOf("an intent", { tool: "report_intent", input: { intent: "x" }, text: "Intent logged" }, { kind: "other" }),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("states replacements and new contents", () => {
    const given = { tool: "edit", input: edit, text: "File /w/a.ts updated with changes." };
    expect(stated(dialect, given)).toEqual({
      kind: "replacements",
      replacements: [{ from: "a", to: "b", isAll: false }],
    });
  });

  test("takes the client's elements and its own word to go on for no person's words", () => {
    const of = (words: string) => `<current_datetime>2026</current_datetime>\n\n${words}\n\n<reminder>\nx\n</reminder>`;
    expect(dialect.isGenuineUser([of("go")])).toBe(true);
    expect(dialect.isGenuineUser([of("")])).toBe(false);
    expect(
      dialect.isGenuineUser([of("You have not yet marked the task as complete using the task_complete tool. If")]),
    ).toBe(false);
  });

  test("is known by its words or tools, and reads its working directory", () => {
    const systemTexts = [
      "You are the GitHub Copilot CLI, a\n<environment_context>\n* Current working directory: /w/app\n",
    ];
    expect(dialect.recognises(headerOf({ systemTexts }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["view", "bash", "report_intent"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["view", "bash"] }), null)).toBe(false);
    expect(dialect.workingDirectoryOf(systemTexts)).toBe("/w/app");
  });
});
