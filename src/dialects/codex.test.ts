import { describe, expect, test } from "vitest";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { Acquisition } from "../model/acquisition.ts";
import type { CallItem } from "../model/item.ts";
import type { JsonValue } from "../model/json.ts";
import { type DialectSample, testDialect } from "../testing/test-dialect.ts";
import { createCodexDialect } from "./codex.ts";

const dialect = createCodexDialect();
const sections = (output: string, end = "Process exited with code 0") =>
  `Chunk ID: 6fb5eb\nWall time: 0.0000 seconds\n${end}\nOriginal token count: 8\nOutput:\n${output}`;
const json = (output: string, code = 0) =>
  JSON.stringify({ output, metadata: { exit_code: code, duration_seconds: 0.1 } });
const PATCHED = "Success. Updated the following files:\nM f.ts\n";
const PATCH = "*** Begin Patch\n*** Update File: f.ts\n@@\n-a\n+b\n*** End Patch";
const CHANGED = [{ kind: "edit", path: "f.ts", source: "tool" }] as const;
const SHELL_READ = { kind: "run", outcome: "ok", isShellRead: true, path: "f.ts" } as const;

function sample(
  tool: string,
  name: string,
  input: JsonValue,
  text: string,
  expected: Partial<Acquisition>,
): DialectSample {
  return { name, tool, input, result: { text }, expected };
}

const whole = { start: 1, end: null, part: null };

const samples: readonly DialectSample[] = [
  sample("exec_command", "a printed file", { cmd: "cat f.ts", workdir: "/w" }, sections("a\nb\n"), {
    ...SHELL_READ,
    workingDirectory: "/w",
    window: whole,
    printed: { start: 1, end: 2 },
  }),
  sample(
    "exec_command",
    "a range behind the words of an older version",
    { cmd: "sed -n '3,9p' f.ts" },
    `Command: /bin/zsh -lc "sed -n '3,9p' f.ts"\n${sections("c\nd\n")}`,
    {
      ...SHELL_READ,
      window: { start: 3, end: 9, part: null },
      printed: { start: 3, end: 4 },
    },
  ),
  sample("shell", "a printed file of a list of words", { command: ["bash", "-lc", "cat f.ts"] }, json("a\nb"), {
    ...SHELL_READ,
    command: "cat f.ts",
    printed: { start: 1, end: 2 },
  }),
  sample("shell", "words without a shell", { command: ["cat", "f.ts"], workdir: "/w" }, json("a"), SHELL_READ),
  sample(
    "shell_command",
    "the freeform sections",
    { command: "cat f.ts" },
    "Exit code: 0\nWall time: 0.1 seconds\nOutput:\na\n",
    SHELL_READ,
  ),
  sample("local_shell", "an action", { type: "exec", command: ["cat", "f.ts"], working_directory: "/w" }, json("a"), {
    ...SHELL_READ,
    workingDirectory: "/w",
  }),
  sample(
    "exec_command",
    "a cut output",
    { cmd: "cat f.ts" },
    sections("Warning: truncated output (original token count: 9)\nTotal output lines: 3000\n\na\n"),
    {
      outcome: "ok",
      isShellRead: false,
    },
  ),
  sample(
    "exec_command",
    "an output cut in its middle",
    { cmd: "cat f.ts" },
    sections("a\n\u20265566 tokens truncated\u2026b\n"),
    {
      isShellRead: false,
    },
  ),
  sample(
    "shell",
    "lines left out",
    { command: ["bash", "-lc", "cat f.ts"] },
    json("a\n[... omitted 5 of 9 lines ...]\n\nb"),
    {
      isShellRead: false,
    },
  ),
  sample(
    "shell_command",
    "a count of all lines",
    { command: "cat f.ts" },
    "Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 9\nOutput:\na\n",
    {
      isShellRead: false,
    },
  ),
  sample(
    "exec_command",
    "a failed command",
    { cmd: "cat f.ts && rm g" },
    sections("cat: f.ts: No such file\n", "Process exited with code 1"),
    {
      outcome: "failed",
      isShellRead: false,
      changes: [],
    },
  ),
  sample(
    "exec_command",
    "a command that still runs",
    { cmd: "rm f.ts" },
    sections("", "Process running with session ID 42"),
    {
      outcome: "ok",
      changes: [],
    },
  ),
  sample("exec_command", "a redirect", { cmd: "cat > f.ts <<'EOF'\nrm g\nEOF", workdir: "sub" }, sections(""), {
    workingDirectory: null,
    changes: [{ kind: "write", path: "sub/f.ts", source: "shell" }],
  }),
  sample("shell", "an aborted command", { command: ["bash", "-lc", "rm f"] }, "aborted by user after 1.2s", {
    outcome: "interrupted",
  }),
  sample(
    "exec_command",
    "what did not start",
    { cmd: "x" },
    "failed to parse function arguments: missing field `cmd`",
    { outcome: "failed" },
  ),
  sample("write_stdin", "words to a process", { session_id: 1, chars: "rm f\n" }, sections(""), {
    kind: "run",
    command: "rm f\n",
    changes: [],
  }),
  sample("apply_patch", "a freeform patch", PATCH, json(PATCHED), {
    kind: "edit",
    outcome: "ok",
    path: "f.ts",
    changes: CHANGED,
  }),
  sample(
    "apply_patch",
    "a patch as an argument",
    { input: PATCH },
    `Exit code: 0\nWall time: 0 seconds\nOutput:\n${PATCHED}`,
    { changes: CHANGED },
  ),
  sample("apply_patch", "a patch answered in plain words", PATCH, PATCHED, { outcome: "ok", changes: CHANGED }),
  sample(
    "apply_patch",
    "a patch that did not fit",
    PATCH,
    "apply_patch verification failed: Failed to find expected lines",
    {
      outcome: "failed",
      changes: [],
    },
  ),
  sample("apply_patch", "a patch that failed as a process", PATCH, json("Failed", 1), {
    outcome: "failed",
    changes: [],
  }),
  sample(
    "exec_command",
    "a patch in a shell",
    { cmd: `cd sub && apply_patch <<'EOF'\n${PATCH}\nEOF\n`, workdir: "/w" },
    sections(PATCHED),
    {
      kind: "edit",
      path: "sub/f.ts",
      workingDirectory: "/w",
      command: null,
      changes: [{ kind: "edit", path: "sub/f.ts", source: "tool" }],
    },
  ),
  sample("shell", "a patch as a word", { command: ["apply_patch", PATCH] }, json(PATCHED), {
    kind: "edit",
    path: "f.ts",
    changes: CHANGED,
  }),
  sample(
    "shell",
    "a patch in a shell that does more",
    { command: ["bash", "-lc", `apply_patch <<'EOF'\n${PATCH}\nEOF\nrm g`] },
    json(PATCHED),
    {
      kind: "run",
      path: null,
      changes: [...CHANGED, { kind: "delete", path: "g", source: "shell" }],
    },
  ),
  sample(
    "shell",
    "a patch without word of its success",
    { command: ["bash", "-lc", `apply_patch <<'EOF'\n${PATCH}\nEOF`] },
    json("x"),
    { changes: [] },
  ),
  sample("read_file", "numbered lines", { file_path: "/w/f.ts", offset: 3, limit: 2 }, "L3: a\nL4: b", {
    kind: "read",
    window: { start: 3, end: 4, part: null },
    printed: { start: 3, end: 4 },
  }),
  sample("read_file", "a block", { file_path: "/w/f.ts", offset: 9, mode: "indentation" }, "L7: a\nL8: b", {
    window: { start: 9, end: 2008, part: null },
    printed: { start: 7, end: 8 },
  }),
  sample("read_file", "no such line", { file_path: "/w/f.ts", offset: 900 }, "offset exceeds file length", {
    outcome: "failed",
  }),
  sample("view_image", "an image", { path: "a.png" }, "attached local image path", {
    kind: "read",
    path: "a.png",
    window: { start: 1, end: null, part: "image" },
    printed: null,
  }),
  sample("update_plan", "a plan", { plan: [] }, "Plan updated", { kind: "other", outcome: "ok" }),
  sample("recall", "an unknown tool", {}, "unsupported call: recall", { kind: "other", outcome: "failed" }),
  sample("list_dir", "a folder", { dir_path: "/w" }, "a", { kind: "search", command: "/w" }),
];

describe("the Codex dialect", () => {
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("takes its own texts for no person's, and the summary of a compaction for a fold", () => {
    const summary =
      "Another language model started to solve this problem and produced a summary of its thinking process. You also";
    const own = [
      summary,
      "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>",
      "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>",
    ];
    expect(own.map((text) => dialect.isGenuineUser([text]))).toEqual([false, false, false]);
    expect(own.map((text) => dialect.isFold([text]))).toEqual([true, false, false]);
    expect(dialect.isGenuineUser(["# Context from my IDE setup:\n\n## My request for Codex:\ngo on"])).toBe(true);
  });

  test("reads the working directory of the environment block, of either form", () => {
    expect(dialect.workingDirectoryOf(["<cwd>/quoted</cwd>"])).toBeNull();
    expect(dialect.workingDirectoryOf(["<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"])).toBe("/w");
    expect(
      dialect.workingDirectoryOf(["<environment_context>\nCurrent working directory: /w\n</environment_context>"]),
    ).toBe("/w");
  });

  test("states the text of a file that a patch adds, and of no other patch", () => {
    const added = "*** Begin Patch\n*** Add File: f\n+one\n*** End Patch";
    const change = (input: JsonValue, name = "apply_patch") => dialect.changeText({ ...CALL, name, input }, "ok");
    expect(change(added)).toEqual({ kind: "content", text: "one\n", isNew: false });
    expect([change(PATCH), change(`${added}\n${added}`), change({ cmd: "x" }, "exec_command")]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("recognises its tools, its words and its user agent, and no agent with a shell and other tools", () => {
    expect(dialect.recognises(headerOf({ toolNames: ["exec_command", "write_stdin", "view_image"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["shell", "update_plan"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["bash", "read", "apply_patch"] }), null)).toBe(false);
    expect(dialect.recognises(headerOf({}), "codex_exec/0.171.0 (Debian 12.0.0; x86_64)")).toBe(true);
    expect(dialect.recognises(headerOf({ systemTexts: ["You are Codex, based on GPT-5."] }), null)).toBe(true);
    expect([dialect.hasShell(["shell"]), dialect.hasShell(["apply_patch"]), dialect.readsThroughShell]).toEqual([
      true,
      false,
      true,
    ]);
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
