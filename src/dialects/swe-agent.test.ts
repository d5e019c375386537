import { describe, expect, test } from "vitest";
import { sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createMiniSweAgentDialect } from "./mini-swe-agent.ts";
import { createSweAgentDialect } from "./swe-agent.ts";

const dialect = createSweAgentDialect();
const FOOTER = "\n(Open file: /w/a.py)\n(Current directory: /w)\nbash-$";
const SHOWN =
  "[File: src/a.py (1997 lines total)]\r\n(8 more lines above)\r\n9:a\r\n10:\r\n11:c\r\n(1986 more lines below)";

describe("the SWE-agent dialect", () => {
  const samples = [
    sampleOf(
      "an opened file",
      { tool: "open", input: { path: "src/a.py", line_number: 10 }, text: SHOWN + FOOTER },
      {
        kind: "read",
        outcome: "ok",
        path: "src/a.py",
        workingDirectory: "/w",
        window: { start: 9, end: 11, part: null },
        printed: { start: 9, end: 11 },
      },
    ),
    sampleOf(
      "scrolling, which names no file",
      { tool: "scroll_down", input: {}, text: SHOWN },
      {
        kind: "read",
        path: "src/a.py",
      },
    ),
    sampleOf(
      "a file that is not there",
      { tool: "open", input: { path: "b.py" }, text: `File b.py not found${FOOTER}` },
      {
        outcome: "failed",
        path: "b.py",
      },
    ),
    sampleOf(
      "an edit of the open file",
      {
        tool: "edit",
        input: { replacement_text: "x", start_line: 1, end_line: 1 },
        text: `File updated. Please review the changes\r\n${SHOWN}`,
      },
      { kind: "edit", outcome: "ok", changes: [{ kind: "edit", path: "src/a.py", source: "tool" }] },
    ),
    sampleOf(
      "an edit that was not applied",
      {
        tool: "edit",
        input: {},
        text: `Your proposed edit has introduced new syntax error(s).\r\n${SHOWN}\r\nFile updated.`,
      },
      { kind: "edit", outcome: "failed", changes: [] },
    ),
    sampleOf(
      "a new file",
      { tool: "create", input: { filename: "b.py" }, text: `[File: b.py (1 lines total)]\r\n1:${FOOTER}` },
      {
        kind: "write",
        changes: [{ kind: "write", path: "b.py", source: "tool" }],
      },
    ),
    sampleOf(
      "a view of the editor",
      {
        tool: "str_replace_editor",
        input: { command: "view", path: "/w/a.py", view_range: [1, 2] },
        text: "OBSERVATION:\nHere's the result of running `cat -n` on /w/a.py:\n     1\ta\n     2\tb\n",
      },
      { kind: "read", outcome: "ok", window: { start: 1, end: 2, part: null }, printed: { start: 1, end: 2 } },
    ),
    sampleOf(
      "a command",
      {
        tool: "bash",
        input: { command: "rm f" },
        text: `Your command ran successfully and did not produce any output.${FOOTER}`,
      },
      {
        kind: "run",
        outcome: "ok",
        changes: [{ kind: "delete", path: "f", source: "shell" }],
      },
    ),
    sampleOf(
      "a file printed by a command",
      { tool: "bash", input: { command: "cat f" }, text: `OBSERVATION:\na\nb${FOOTER}` },
      {
        isShellRead: true,
        path: "f",
        printed: { start: 1, end: 2 },
      },
    ),
    sampleOf(
      "a file that is not there",
      { tool: "bash", input: { command: "cat f" }, text: "OBSERVATION:\ncat: f: No such file or directory" },
      { outcome: "failed", isShellRead: false, path: null },
    ),
    sampleOf(
      "a command whose program complains",
      { tool: "bash", input: { command: "sed -i s/a/b/ f" }, text: "sed: can't read f: No such file or directory" },
      { outcome: "failed", changes: [] },
    ),
    sampleOf(
      "a file of which some was left out",
      { tool: "bash", input: { command: "cat f" }, text: "a\n\n<observations>9 characters were elided</observations>" },
      { isShellRead: false, path: null },
    ),
    sampleOf(
      "a search",
      { tool: "find_file", input: { file_name: "a.py" }, text: "" },
      { kind: "search", command: "a.py" },
    ),
    sampleOf("the end", { tool: "submit", input: {}, text: "" }, { kind: "other" }),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("states no replacement, since its editor turns tabs of the whole file into spaces", () => {
    const input = { command: "str_replace", path: "/w/a.py", old_str: "a", new_str: "b" };
    expect(
      stated(dialect, { tool: "str_replace_editor", input, text: "The file /w/a.py has been edited." }),
    ).toBeNull();
  });

  test("is known by its words or tools, and reads through its shell", () => {
    expect(dialect.recognises(headerOf({ toolNames: ["bash", "str_replace_editor", "submit"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["bash", "str_replace_editor"] }), null)).toBe(false);
    expect(dialect.workingDirectoryOf(["(Open file: n/a)\n(Current directory: /testbed)\nbash-$"])).toBe("/testbed");
    expect(dialect.isGenuineUser(["OBSERVATION:\nx"])).toBe(false);
    expect(dialect.readsThroughShell).toBe(true);
  });
});

describe("the mini-swe-agent dialect", () => {
  const mini = createMiniSweAgentDialect();
  const bash = (command: string, text: string) => ({ tool: "bash", input: { command }, text });
  const samples = [
    sampleOf("a file printed", bash("cat f", "<returncode>0</returncode>\n<output>\na\nb\n</output>"), {
      kind: "run",
      isShellRead: true,
      path: "f",
      printed: { start: 1, end: 2 },
    }),
    sampleOf("a command", bash("sed -i s/a/b/ f", "<returncode>0</returncode>\n<output>\n</output>"), {
      outcome: "ok",
      changes: [{ kind: "edit", path: "f", source: "shell" }],
    }),
    sampleOf("a command that fails", bash("sed -i s/a/b/ f", "<returncode>1</returncode>\n<output>\n</output>"), {
      outcome: "failed",
      changes: [],
    }),
    sampleOf("an answer without a code", bash("sed -i s/a/b/ f", "<exception>x</exception>"), {
      outcome: "failed",
      changes: [],
    }),
    sampleOf(
      "an output that is too long",
      bash("cat f", "<returncode>0</returncode>\n<warning>x</warning>\n<output_head>\na\n</output_head>"),
      { isShellRead: false },
    ),
  ];
  for (const check of testDialect(mini, createShellParser(), samples)) test(check.name, check.run);

  test("is known by its words beside a shell alone, and takes answers for no person's words", () => {
    const systemTexts = ["You are a helpful assistant that can interact with a computer."];
    expect(mini.recognises(headerOf({ systemTexts, toolNames: ["bash"] }), null)).toBe(true);
    expect(mini.recognises(headerOf({ systemTexts, toolNames: ["bash", "view"] }), null)).toBe(false);
    expect(mini.isGenuineUser(["<returncode>0</returncode>\n<output>\n</output>"])).toBe(false);
    expect(mini.readsThroughShell).toBe(true);
  });
});
