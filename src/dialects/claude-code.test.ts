import { describe, expect, test } from "vitest";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { FileChange } from "../model/acquisition.ts";
import { type DialectSample, testDialect } from "../testing/test-dialect.ts";
import { createClaudeCodeDialect } from "./claude-code.ts";

const dialect = createClaudeCodeDialect();
const REMINDER = "\n\n<system-reminder>\nWhenever you read a file, 3\tthink.\n</system-reminder>\n";
const WHOLE = { start: 1, end: 2000, part: null };

function read(
  name: string,
  text: string,
  expected: DialectSample["expected"],
  input: DialectSample["input"] = {},
): DialectSample {
  const full = typeof input === "object" && input !== null ? { file_path: "/w/f.ts", ...input } : input;
  return {
    name,
    tool: "Read",
    input: full,
    result: { text },
    expected: { kind: "read", path: "/w/f.ts", ...expected },
  };
}

function bash(name: string, command: string, text: string, changes: readonly FileChange[]): DialectSample {
  return { name, tool: "Bash", input: { command }, result: { text }, expected: { kind: "run", command, changes } };
}

const reads: readonly DialectSample[] = [
  read("arrow numbers", `     1→one\n     2→two\n     3→${REMINDER}`, {
    outcome: "ok",
    window: WHOLE,
    printed: { start: 1, end: 3 },
  }),
  read(
    "tab numbers",
    "100\ta\n101\tb",
    { window: { start: 100, end: 104, part: null }, printed: { start: 100, end: 101 } },
    { offset: 100, limit: 5 },
  ),
  read(
    "numbers written as text",
    "10\ta",
    { window: { start: 10, end: 14, part: null } },
    { offset: "10", limit: "5.0" },
  ),
  read("content that quotes numbers", "1\ta\n7\tb", { printed: { start: 1, end: 1 } }),
  read("a partial view", "[Truncated: PARTIAL view — showing lines 1-2 of 9 total (30000 tokens)]\n\n1\ta\n2\tb", {
    printed: { start: 1, end: 2 },
  }),
  read("an empty file", "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>", {
    outcome: "ok",
    printed: { start: 1, end: 0 },
  }),
  read(
    "past the end",
    "<system-reminder>Warning: the file exists but is shorter than the provided offset (90).</system-reminder>",
    { printed: { start: 90, end: 89 } },
    { offset: 90 },
  ),
  read(
    "persisted output",
    "<persisted-output>\nOutput too large. Full output saved to: /x\n\nPreview:\n1\ta\n</persisted-output>",
    { printed: { start: 1, end: 0 } },
  ),
  read(
    "pages of a PDF",
    "PDF file read: /w/f.pdf (1KB)",
    { window: { start: 1, end: null, part: "pages 1-3" }, printed: null },
    { pages: "1-3" },
  ),
  read("a notebook", '<cell id="a">x</cell id="a">', { printed: null }),
  read("an unchanged answer", "File unchanged since last read. The content is current.", {
    isUnchangedStub: true,
    outcome: "ok",
    printed: { start: 1, end: 0 },
  }),
  read("a later unchanged answer", "Wasted call — file unchanged since your last Read. Refer to it.", {
    isUnchangedStub: true,
  }),
  read("a file that speaks of unchanged files", "1\tFile unchanged since last read.", { isUnchangedStub: false }),
  read("a result the client emptied", "[Old tool result content cleared]", { outcome: "missing", printed: null }),
  {
    name: "an image",
    tool: "Read",
    input: { file_path: "/w/a.png" },
    result: { text: "", mediaCount: 1 },
    expected: { outcome: "ok", printed: null },
  },
];

const changes: readonly DialectSample[] = [
  {
    name: "an edit",
    tool: "Edit",
    input: { file_path: "a.ts" },
    result: { text: "updated" },
    expected: { kind: "edit", path: "a.ts", changes: [{ kind: "edit", path: "a.ts", source: "tool" }] },
  },
  {
    name: "many edits",
    tool: "MultiEdit",
    input: { file_path: "a.ts" },
    result: { text: "Applied" },
    expected: { kind: "edit", changes: [{ kind: "edit", path: "a.ts", source: "tool" }] },
  },
  {
    name: "a write",
    tool: "Write",
    input: { file_path: "a.ts" },
    result: { text: "File created" },
    expected: { kind: "write", changes: [{ kind: "write", path: "a.ts", source: "tool" }] },
  },
  {
    name: "a notebook edit",
    tool: "NotebookEdit",
    input: { notebook_path: "a.ipynb" },
    result: { text: "ok" },
    expected: { kind: "edit", path: "a.ipynb", changes: [{ kind: "edit", path: "a.ipynb", source: "tool" }] },
  },
  {
    name: "an error without its flag",
    tool: "Edit",
    input: { file_path: "a.ts" },
    result: { text: "<tool_use_error>no</tool_use_error>" },
    expected: { outcome: "failed", changes: [] },
  },
  {
    name: "a refused write",
    tool: "Write",
    input: { file_path: "a.ts" },
    result: { text: "The user doesn't want to proceed with this tool use.", isError: true },
    expected: { outcome: "interrupted", changes: [] },
  },
  {
    name: "a stopped command",
    tool: "Bash",
    input: { command: "echo > f" },
    result: { text: "Exit code 137\n[Request interrupted by user for tool use]", isError: true },
    expected: { outcome: "interrupted", changes: [] },
  },
  {
    name: "a command in the background",
    tool: "Bash",
    input: { command: "echo > f", run_in_background: true },
    result: { text: "Command running in background with ID: 1" },
    expected: { outcome: "ok", changes: [] },
  },
  bash("a shell edit", "cd /w && sed -i s/a/b/ f", "", [{ kind: "edit", path: "/w/f", source: "shell" }]),
  {
    name: "a leading cd",
    tool: "Bash",
    input: { command: "cd /w && ls" },
    result: { text: "" },
    expected: { workingDirectory: "/w" },
  },
  {
    name: "a search",
    tool: "Grep",
    input: { pattern: "x", path: "/w" },
    result: { text: "" },
    expected: { kind: "search", path: null, command: "x" },
  },
  {
    name: "a fetch",
    tool: "WebFetch",
    input: { url: "https://a.b" },
    result: { text: "" },
    expected: { kind: "fetch", command: "https://a.b" },
  },
  {
    name: "a tool of a server",
    tool: "mcp__a__read",
    input: { file_path: "/w/f" },
    result: { text: "" },
    expected: { kind: "other", path: null },
  },
];

const NOTED = "[This command modified 2 files you've previously read: a.txt, ../b.txt. Call Read before editing.]";
const noticed = (path: string): FileChange => ({ kind: "edit", path, source: "notice" });

const notices: readonly DialectSample[] = [
  bash("a notice", "make", `done\n${NOTED}`, [noticed("a.txt"), noticed("../b.txt")]),
  bash("a notice before the directory", "make", `${NOTED}\nShell cwd was reset to /w`, [
    noticed("a.txt"),
    noticed("../b.txt"),
  ]),
  bash(
    "a long notice",
    "make",
    NOTED.replace("2 files", "7 files").replace("b.txt", "b.txt, c, d, e and 2 more"),
    ["a.txt", "../b.txt", "c", "d", "e"].map(noticed),
  ),
  bash("a notice with names nobody can tell apart", "make", NOTED.replace("2 files", "1 file"), []),
  bash("a notice in the middle of output", "cat log", `${NOTED}\nmore`, []),
  {
    name: "a notice of a failed command",
    tool: "Bash",
    input: { command: "make" },
    result: { text: `Exit code 1\n${NOTED}`, isError: true },
    expected: { outcome: "failed", changes: [noticed("a.txt"), noticed("../b.txt")] },
  },
];

describe("the Claude Code dialect", () => {
  for (const check of testDialect(dialect, createShellParser(), [...reads, ...changes, ...notices]))
    test(check.name, check.run);

  test.each([
    [["Fix the bug"], true],
    [["<system-reminder>\nx\n</system-reminder>", "Fix the bug"], true],
    [["<system-reminder>\nx\n</system-reminder>"], false],
    [["<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\nFix"], true],
    [["<command-name>/review</command-name>\n<command-message>review</command-message>"], true],
    [["<local-command-stdout>Bye</local-command-stdout>"], false],
    [["<bash-input>ls</bash-input>"], true],
    [["<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"], false],
    [["Caveat: The messages below were generated by the user while running local commands. DO NOT respond"], false],
    [["<local-command-caveat>Caveat: The messages below</local-command-caveat>"], false],
    [["[Request interrupted by user for tool use]"], false],
    [["[Request interrupted by user for tool use]", "do it otherwise"], true],
    [["This session is being continued from a previous conversation that ran out of context."], false],
    [["Continue from where you left off."], false],
    [["continue"], true],
    [["Tool loaded."], false],
    [["Base directory for this skill: /a"], false],
    [["<system-reminder>\nThe user sent a new message while you were working:\nwait\n</system-reminder>"], true],
    [["what does <system-reminder>x</system-reminder> mean?"], true],
  ])("judges whether a person typed %j", (texts, expected) => expect(dialect.isGenuineUser(texts)).toBe(expected));

  test("finds the summary at the head of a compacted history", () => {
    const summary = "This session is being continued from a previous conversation that ran out of context. Summary: …";
    expect(dialect.isFold(["<system-reminder>x</system-reminder>", summary])).toBe(true);
    expect(dialect.isFold([`What does "${summary}" mean?`])).toBe(false);
  });

  test.each([
    ["<env>\nWorking directory: /a/b\nIs directory a git repo: Yes\n</env>", "/a/b"],
    ["# Environment\n - Primary working directory: /a/with space\n - Platform: linux", "/a/with space"],
    ["Working directory: C:\\a\\b\r\nPlatform: win32", "C:\\a\\b"],
    ["Your working directory: /a", null],
    ["Working directory: here", null],
  ])("reads the working directory of %j", (text, expected) => {
    expect(dialect.workingDirectoryOf(["other", text])).toBe(expected);
  });

  test.each([
    ["<system-reminder>\nNote: /w/f.ts was modified, either by the user or by a linter. This change was", ["/w/f.ts"]],
    [
      "Note: /w/f.ts changed on disk since you last read it. x\n\nNote: g h.ts changed on disk since you last read it.",
      ["/w/f.ts", "g h.ts"],
    ],
    ["Note: /w/f.ts was read before the last conversation was summarized", []],
    ["1\tNote: /w/f.ts changed on disk since you last read it.", []],
    ["a\nNote: /w/f.ts changed on disk since you last read it.", []],
    ["Note: /w/f.ts was modified.", []],
  ])("finds the notices of %j", (text, paths) =>
    expect(dialect.noticesIn(text).map(({ path }) => path)).toEqual(paths),
  );

  test("recognises its requests by user agent, system prompt or tools", () => {
    expect(dialect.recognises(headerOf({}), "claude-cli/2.1.332 (external, sdk-cli)")).toBe(true);
    expect(dialect.recognises(headerOf({ systemTexts: ["You are Claude Code, a CLI."] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["Bash", "Edit", "Read"] }), "curl/8")).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["bash", "edit", "read"] }), "Anthropic/JS 0.9")).toBe(false);
    expect([dialect.hasShell(["Read", "Bash"]), dialect.hasShell(["bash"])]).toEqual([true, false]);
  });
});
