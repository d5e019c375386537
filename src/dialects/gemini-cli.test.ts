import { describe, expect, test } from "vitest";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { Acquisition, Window } from "../model/acquisition.ts";
import type { CallItem } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";
import { type DialectSample, testDialect } from "../testing/test-dialect.ts";
import { createGeminiCliDialect } from "./gemini-cli.ts";

const dialect = createGeminiCliDialect();
const FILE = { file_path: "/w/f.ts" };
const banner = (range: string, content: string) =>
  `\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines ${range} of 900 total lines.\nAction: x\n\n--- FILE CONTENT (truncated) ---\n${content}`;
const lines = (count: number) => "x\n".repeat(count);
const untrusted = (text: string) => `<untrusted_context>\n${text}\n</untrusted_context>`;
const long = (output: string, code: string, errors = "(empty)") =>
  `Command: x\nDirectory: (root)\nStdout: ${output}\nStderr: ${errors}\nError: (none)\nExit Code: ${code}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7`;

function sample(
  tool: string,
  name: string,
  input: JsonValue,
  text: string,
  expected: Partial<Acquisition>,
): DialectSample {
  return { name, tool, input, result: { text }, expected };
}

function windowOf(start: number, end: number | null): Window {
  return { start, end, part: null };
}

const WINDOWS = [
  ["a whole file", {}, "one\ntwo\n", windowOf(1, null), null],
  ["a range of lines", { start_line: 3, end_line: 9 }, "one\n", windowOf(3, 9), null],
  ["lines to the end", { start_line: 3 }, "one\n", windowOf(3, null), null],
  ["lines from the first", { end_line: 9 }, "one\n", windowOf(1, 9), null],
  ["a range that ends before it starts", { start_line: 9, end_line: 3 }, "one\n", windowOf(9, 9), null],
  ["a line before the first", { start_line: 0, end_line: 3 }, "one\n", windowOf(1, 3), null],
  ["the older offset, from 0", { offset: 2, limit: 7 }, "one\n", windowOf(3, 9), null],
  ["an offset of nothing", { offset: 0 }, "one\n", windowOf(1, null), null],
  ["a limit alone", { limit: 7 }, "one\n", windowOf(1, 7), null],
  ["an offset below nothing", { offset: -4, limit: 7 }, "one\n", windowOf(1, 7), null],
  ["a cut file", {}, banner("1-20", lines(40)), windowOf(1, null), { start: 1, end: 20 }],
  [
    "a cut range",
    { start_line: 30, end_line: 900 },
    banner("30-49", lines(40)),
    windowOf(30, 900),
    { start: 30, end: 49 },
  ],
  ["a banner that claims more than it shows", {}, banner("1-900", lines(2)), windowOf(1, null), { start: 1, end: 9 }],
  [
    "an older banner",
    {},
    `[File content truncated: showing lines 1-2 of 900 total lines. Use offset/limit parameters to view more.]\n${lines(2)}`,
    windowOf(1, null),
    { start: 1, end: 2 },
  ],
  ["what is no text", {}, "Cannot display content of binary file: f.ts", windowOf(1, null), { start: 1, end: 0 }],
] as const;

const samples: readonly DialectSample[] = [
  ...WINDOWS.map(([name, range, text, window, printed]) =>
    sample("read_file", name, { ...FILE, ...range }, text, {
      kind: "read",
      outcome: "ok",
      path: "/w/f.ts",
      window,
      printed,
    }),
  ),
  sample("read_file", "an older path", { absolute_path: "/w/f.ts" }, "one\n", { path: "/w/f.ts" }),
  sample("read_file", "no such file", FILE, "File not found: /w/f.ts", { outcome: "failed" }),
  sample("read_file", "a file that begins like a failure", FILE, `File not found: the story\n${lines(9)}`, {
    outcome: "ok",
  }),
  sample("read_file", "what the client moved away", FILE, "<tool_output_masked>\nx\n</tool_output_masked>", {
    outcome: "missing",
  }),
  sample("read_file", "a call the user stopped", FILE, "[Operation Cancelled] Reason: User did not allow tool call", {
    outcome: "interrupted",
  }),
  sample("read_many_files", "several files", { include: ["/w/a.ts", "/w/b.ts"] }, "--- /w/a.ts ---\n\nx", {
    kind: "read",
    path: null,
    printed: null,
  }),
  sample("read_many_files", "a pattern", { paths: ["src/**/*.ts"] }, "x", { kind: "read", path: null }),
  sample("read_many_files", "one file by its name", { paths: ["/w/a.ts"] }, "--- /w/a.ts ---\n\nx", {
    kind: "read",
    path: "/w/a.ts",
  }),
  sample("replace", "an edit", FILE, "Successfully modified file: /w/f.ts (1 replacements).", {
    kind: "edit",
    changes: [{ kind: "edit", path: "/w/f.ts", source: "tool" }],
  }),
  sample("replace", "an edit that found nothing", FILE, "Failed to edit, 0 occurrences found for old_string.", {
    outcome: "failed",
    changes: [],
  }),
  sample("write_file", "a write", FILE, "Successfully overwrote file: /w/f.ts.", {
    kind: "write",
    changes: [{ kind: "write", path: "/w/f.ts", source: "tool" }],
  }),
  sample("write_file", "a write that failed", FILE, "Permission denied writing to file: /w/f.ts (EACCES)", {
    outcome: "failed",
    changes: [],
  }),
  sample(
    "run_shell_command",
    "a printed file",
    { command: "cat f.ts", dir_path: "/w" },
    untrusted("Output: a\nb\nProcess Group PGID: 7"),
    {
      kind: "run",
      isShellRead: true,
      path: "f.ts",
      workingDirectory: "/w",
      printed: { start: 1, end: 2 },
    },
  ),
  sample("run_shell_command", "an empty output", { command: "cat f.ts" }, "Output: (empty)\nProcess Group PGID: 7", {
    printed: { start: 1, end: 0 },
  }),
  sample("run_shell_command", "the older result", { command: "cat f.ts", directory: "sub" }, long("a", "0"), {
    isShellRead: true,
    path: "sub/f.ts",
    workingDirectory: null,
  }),
  sample(
    "run_shell_command",
    "an older result with errors beside it",
    { command: "cat f.ts" },
    long("a", "0", "warning"),
    { outcome: "ok", isShellRead: false },
  ),
  sample(
    "run_shell_command",
    "a failed command",
    { command: "rm f" },
    "Output: x\nExit Code: 1\nProcess Group PGID: 7",
    { outcome: "failed", changes: [] },
  ),
  sample("run_shell_command", "an older failure", { command: "rm f" }, long("x", "1"), {
    outcome: "failed",
    changes: [],
  }),
  sample("run_shell_command", "a removal", { command: "rm f" }, "Output: (empty)\nProcess Group PGID: 7", {
    outcome: "ok",
    changes: [{ kind: "delete", path: "f", source: "shell" }],
  }),
  sample(
    "run_shell_command",
    "a command in the background",
    { command: "rm f", is_background: true },
    "Output: (empty)",
    { outcome: "ok", changes: [] },
  ),
  sample(
    "run_shell_command",
    "what the client moved to the background",
    { command: "rm f" },
    "Command moved to background (PID: 7). Output hidden.",
    { changes: [] },
  ),
  sample(
    "run_shell_command",
    "a cancelled command",
    { command: "rm f" },
    "Command was cancelled by user before it could complete.",
    { outcome: "interrupted" },
  ),
  sample(
    "run_shell_command",
    "an output that looks like what follows it",
    { command: "cat f.ts" },
    `Command: x\nDirectory: (root)\nOutput: ${"Error: x\nStderr: y\nExit Code: 1\n".repeat(9_000)}`,
    { outcome: "failed", isShellRead: false },
  ),
  sample("run_shell_command", "an output of white space", { command: "cat f.ts" }, `Output: ${" \n".repeat(90_000)}x`, {
    isShellRead: true,
    printed: { start: 1, end: 90_001 },
  }),
  sample(
    "run_shell_command",
    "an output moved to a file",
    { command: "rm f" },
    "Tool output was too large and has been truncated.",
    { outcome: "ok", changes: [] },
  ),
  sample("grep_search", "a search", { pattern: "x" }, "Found 1 match", { kind: "search", command: "x" }),
  sample("list_directory", "a folder", { dir_path: "/w" }, "a", { kind: "search", command: "/w" }),
  sample("web_fetch", "a page", { prompt: "https://a.example" }, "x", { kind: "fetch", command: "https://a.example" }),
  sample("update_topic", "a topic", {}, "x", { kind: "other" }),
];

describe("the Gemini CLI dialect", () => {
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("takes its own texts for no person's, and a snapshot for a fold", () => {
    const context = "This is the Gemini CLI. We are setting up the context for our chat.\nToday's date is x.";
    const own = ["<state_snapshot>x</state_snapshot>", context, `<session_context>\n${context}\n</session_context>`];
    expect(own.map((text) => dialect.isGenuineUser([text]))).toEqual([false, false, false]);
    expect(own.map((text) => dialect.isFold([text]))).toEqual([true, false, false]);
    expect(dialect.isGenuineUser([context, "Read the file"])).toBe(true);
  });

  test("reads the one working directory that the opening text states", () => {
    const one =
      "My operating system is: linux\nI'm currently working in the directory: /w/x y\nHere is the folder structure";
    const listed = (...folders: readonly string[]) =>
      `- **Workspace Directories:**\n${folders.map((folder) => `  - ${folder}\n`).join("")}- **Directory Structure:**\n`;
    expect(dialect.workingDirectoryOf([one])).toBe("/w/x y");
    expect(dialect.workingDirectoryOf([listed("/w")])).toBe("/w");
    expect(dialect.workingDirectoryOf([listed("/w", "/v")])).toBeNull();
  });

  test("states what its calls change, but not what the user changed about them", () => {
    const change = (name: string, input: JsonValue, text = "Successfully modified file: f (1 replacements).") =>
      dialect.changeText({ ...CALL, name, input }, text);
    const input = { old_string: "a", new_string: "b" };
    const replaced = (isAll: boolean) => ({ kind: "replacements", replacements: [{ from: "a", to: "b", isAll }] });
    expect(change("replace", input)).toEqual(replaced(false));
    expect(change("replace", { ...input, allow_multiple: true })).toEqual(replaced(true));
    expect(change("replace", { ...input, expected_replacements: 3 })).toEqual(replaced(true));
    expect(
      change("replace", { old_string: "", new_string: "b" }, "Created new file: f with provided content."),
    ).toEqual({
      kind: "content",
      text: "b",
      isNew: true,
    });
    expect(
      change(
        "replace",
        input,
        "Successfully modified file: f (1 replacements). User modified the `new_string` content to be: c.",
      ),
    ).toBeNull();
    expect(change("write_file", { content: "x" }, "Successfully overwrote file: f.")).toEqual({
      kind: "content",
      text: "x",
      isNew: false,
    });
    expect([change("replace", { old_string: "a" }), change("write_file", {}), change("glob", {})]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("recognises its tools, its words and its user agent", () => {
    expect(dialect.recognises(headerOf({ toolNames: ["read_file", "replace", "run_shell_command"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_file", "edit", "run_shell_command"] }), null)).toBe(false);
    expect(dialect.recognises(headerOf({}), "GeminiCLI-tui/0.61.0/gemini-3.1-pro-preview (linux; x64; terminal)")).toBe(
      true,
    );
    expect(dialect.recognises(headerOf({ systemTexts: ["You are Gemini CLI, an interactive agent"] }), null)).toBe(
      true,
    );
    expect([dialect.hasShell(["run_shell_command"]), dialect.hasShell(["read_file"])]).toEqual([true, false]);
  });
});

const CALL: CallItem = {
  kind: "call",
  key: "call:c",
  role: "assistant",
  callId: "c",
  name: "",
  input: null,
  messageIndex: 1,
  blockIndex: 0,
  bytes: 0,
  lines: 0,
  digest: "",
};
