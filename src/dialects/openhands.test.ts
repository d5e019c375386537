import { describe, expect, test } from "vitest";
import { sampleOf, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createOpenHandsDialect } from "./openhands.ts";

const dialect = createOpenHandsDialect();
const VIEWED = "Here's the result of running `cat -n` on /w/a.py:\n";
const CHANGED =
  "The file /w/a.py has been edited. Here's the result of running `cat -n` on a snippet of /w/a.py:\n     1\tb\n";
const DONE =
  "\n[The command completed with exit code 0.]\n[Current working directory: /w]\n[Command finished with exit code 0]";

function edit(input: object, text: string) {
  return { tool: "file_editor", input: { path: "/w/a.py", ...input }, text };
}

function terminal(command: string, text: string, more: object = {}) {
  return { tool: "terminal", input: { command, ...more }, text };
}

describe("the OpenHands dialect", () => {
  const samples = [
    sampleOf("a file", edit({ command: "view" }, `${VIEWED}     1\ta\n     2\t\n     3\tc\n`), {
      kind: "read",
      outcome: "ok",
      path: "/w/a.py",
      window: { start: 1, end: null, part: null },
      printed: { start: 1, end: 3 },
    }),
    sampleOf(
      "a range beyond the end",
      edit(
        { command: "view", view_range: [2, 99] },
        `NOTE: We only show up to 3 since there're only 3 lines in this file.\n${VIEWED}     2\tb\n     3\tc\n`,
      ),
      { window: { start: 2, end: 99, part: null }, printed: { start: 2, end: 3 } },
    ),
    sampleOf(
      "a clipped file, whose last lines are numbered wrongly",
      edit({ command: "view" }, `${VIEWED}     1\ta\n     2\tb<response clipped><NOTE>Due to</NOTE>x\n     3\tz\n`),
      { printed: { start: 1, end: 1 } },
    ),
    sampleOf("a folder", edit({ command: "view" }, "Here's the files and directories up to 2 levels deep in /w"), {
      kind: "search",
    }),
    sampleOf(
      "a path that is not absolute",
      edit({ command: "view" }, "Invalid `path` parameter: a.py. The path should be"),
      {
        kind: "read",
        outcome: "failed",
      },
    ),
    sampleOf("a replacement", edit({ command: "str_replace", old_str: "a", new_str: "b" }, CHANGED), {
      kind: "edit",
      outcome: "ok",
      changes: [{ kind: "edit", path: "/w/a.py", source: "tool" }],
    }),
    sampleOf(
      "a replacement that fits nowhere",
      edit(
        { command: "str_replace", old_str: "a" },
        "ERROR:\nNo replacement was performed, old_str `a` did not appear verbatim",
      ),
      { outcome: "failed", changes: [] },
    ),
    sampleOf("a new file", edit({ command: "create", file_text: "x" }, "File created successfully at: /w/a.py"), {
      kind: "write",
      changes: [{ kind: "write", path: "/w/a.py", source: "tool" }],
    }),
    sampleOf(
      "a new file without a folder",
      edit({ command: "create" }, "Ran into [Errno 2] No such file or directory"),
      {
        kind: "write",
        outcome: "failed",
        changes: [],
      },
    ),
    sampleOf("an undone edit", edit({ command: "undo_edit" }, "Last edit to /w/a.py undone successfully. Here's"), {
      kind: "edit",
      changes: [{ kind: "edit", path: "/w/a.py", source: "tool" }],
    }),
    sampleOf("nothing to undo", edit({ command: "undo_edit" }, "No edit history found for /w/a.py."), {
      outcome: "failed",
      changes: [],
    }),
    sampleOf("a command", terminal("cd /w && echo > f", DONE), {
      kind: "run",
      outcome: "ok",
      workingDirectory: "/w",
      changes: [{ kind: "write", path: "/w/f", source: "shell" }],
    }),
    sampleOf("a command that fails", terminal("echo > f", "no\n[Command finished with exit code 2]"), {
      outcome: "failed",
      changes: [],
    }),
    sampleOf("a command that still runs", terminal("echo > f", "x\n[Command finished with exit code -1]"), {
      outcome: "missing",
      changes: [],
    }),
    sampleOf("keys for a program that runs", terminal("echo > f", DONE, { is_input: true }), { changes: [] }),
    sampleOf("a file printed by a command", terminal("cat a.py", `a\nb${DONE}`), {
      isShellRead: true,
      path: "a.py",
      printed: { start: 1, end: 2 },
    }),
    sampleOf(
      "an older command",
      {
        tool: "execute_bash",
        input: { command: "cat a.py" },
        text: "cat a.py\r\na\n[Command finished with exit code 0]",
      },
      {
        kind: "run",
        isShellRead: false,
        path: null,
      },
    ),
    sampleOf("the end", { tool: "finish", input: {}, text: "" }, { kind: "other" }),
  ];
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("states a replacement that was made, and a file that was not there", () => {
    const input = { command: "str_replace", old_str: "a", new_str: "b" };
    expect(stated(dialect, edit(input, CHANGED))).toEqual({
      kind: "replacements",
      replacements: [{ from: "a", to: "b", isAll: false }],
    });
    expect(stated(dialect, edit(input, "ERROR:\nNo replacement was performed"))).toBeNull();
    expect(stated(dialect, edit({ command: "create", file_text: "x" }, ""))).toEqual({
      kind: "content",
      text: "x",
      isNew: true,
    });
  });

  test("takes the word to go on for no person's words", () => {
    expect(
      dialect.isGenuineUser(["Please continue working on the task on whatever approach you think is suitable.\n"]),
    ).toBe(false);
    expect(dialect.isGenuineUser(["<EXTRA_INFO>\nx\n</EXTRA_INFO>"])).toBe(false);
    expect(dialect.workingDirectoryOf(["<RUNTIME_INFORMATION>\nThe current working directory is /workspace\n"])).toBe(
      "/workspace",
    );
  });

  test("is known by its words or by an editor beside a terminal of its own", () => {
    expect(dialect.recognises(headerOf({ systemTexts: ["You are OpenHands agent, a helpful AI"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["str_replace_editor", "execute_bash"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["str_replace_editor", "bash"] }), null)).toBe(false);
    expect(dialect.readsThroughShell).toBe(false);
  });
});
