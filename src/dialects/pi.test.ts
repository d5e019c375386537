import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { headerOf } from "../../test/support/header.ts";
import { recordedSessions } from "../../test/support/shared.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { type DialectSample, testDialect } from "../testing/test-dialect.ts";
import { createPiDialect } from "./pi.ts";

const dialect = createPiDialect();

function read(
  name: string,
  text: string,
  expected: DialectSample["expected"],
  range: Readonly<Record<string, number>> = {},
) {
  return {
    name,
    tool: "read",
    input: { path: "f.ts", ...range },
    result: { text },
    expected: { kind: "read", path: "f.ts", ...expected },
  } satisfies DialectSample;
}

const samples: readonly DialectSample[] = [
  read("a whole file", "one\ntwo\n", { outcome: "ok", window: { start: 1, end: 2000, part: null }, printed: null }),
  read(
    "a range with more behind it",
    "b\nc\n\n[7 more lines in file. Use offset=4 to continue.]",
    { window: { start: 2, end: 3, part: null }, printed: { start: 2, end: 3 } },
    { offset: 2, limit: 2 },
  ),
  read(
    "an older range",
    "b\nc\n\n... (7 more lines not shown. Use offset=4 to continue reading)",
    { printed: { start: 2, end: 3 } },
    { offset: 2, limit: 2 },
  ),
  read("a cut file", "a\nb\n\n[Showing lines 1-2 of 9000 (50.0KB limit). Use offset=3 to continue.]", {
    printed: { start: 1, end: 2 },
  }),
  read("a file that ends like a cut one", "a\n\n[Showing lines 1-900 of 9000. Use offset=901 to continue.]", {
    printed: { start: 1, end: 1 },
  }),
  read(
    "a line too long to print",
    "[Line 1 is 90.0KB, exceeds 50.0KB limit. Use bash: sed -n '1p' f.ts | head -c 51200]",
    { printed: { start: 1, end: 0 } },
  ),
  {
    name: "an edit",
    tool: "edit",
    input: { path: "f.ts", edits: [] },
    result: { text: "Successfully replaced 1 block(s) in f.ts." },
    expected: { kind: "edit", changes: [{ kind: "edit", path: "f.ts", source: "tool" }] },
  },
  {
    name: "a write",
    tool: "write",
    input: { path: "f.ts", content: "x" },
    result: { text: "Successfully wrote 1 bytes to f.ts" },
    expected: { kind: "write", changes: [{ kind: "write", path: "f.ts", source: "tool" }] },
  },
  {
    name: "a command",
    tool: "bash",
    input: { command: "echo > f" },
    result: { text: "(no output)" },
    expected: { kind: "run", command: "echo > f", changes: [{ kind: "write", path: "f", source: "shell" }] },
  },
  {
    name: "an aborted command",
    tool: "bash",
    input: { command: "echo > f" },
    result: { text: "x\n\nCommand aborted", isError: true },
    expected: { outcome: "interrupted", changes: [] },
  },
  {
    name: "a printed file",
    tool: "bash",
    input: { command: "sed -n '3,9p' f.ts" },
    result: { text: "c\nd\n" },
    expected: { kind: "run", isShellRead: true, path: "f.ts", printed: { start: 3, end: 4 } },
  },
  {
    name: "a printed file of which the client shows a part",
    tool: "bash",
    input: { command: "cat f.ts" },
    result: { text: "c\nd\n\n[Showing lines 2-3 of 9000. Full output: /tmp/x]" },
    expected: { isShellRead: false },
  },
  {
    name: "a command that failed where the format has no flag for it",
    tool: "bash",
    input: { command: "rm f" },
    result: { text: "x\n\nCommand exited with code 1" },
    expected: { outcome: "failed", changes: [] },
  },
  {
    name: "an edit that failed where the format has no flag for it",
    tool: "edit",
    input: { path: "f.ts", edits: [] },
    result: { text: "Could not find the exact text in f.ts." },
    expected: { outcome: "failed", changes: [] },
  },
  read(
    "a read that failed where the format has no flag for it",
    "ENOENT: no such file or directory, access '/w/f.ts'",
    {
      outcome: "failed",
      printed: null,
    },
  ),
  read("a file that begins like a failure", "ENOENT: the code of a missing file\n\nText.", { outcome: "ok" }),
  {
    name: "a search",
    tool: "grep",
    input: { pattern: "x" },
    result: { text: "" },
    expected: { kind: "search", command: "x" },
  },
];

describe("the pi dialect", () => {
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("takes its summaries for no person's words, and the compacted one for a fold", () => {
    const compacted =
      "The conversation history before this point was compacted into the following summary:\n\n<summary>x</summary>";
    const branch =
      "The following is a summary of a branch that this conversation came back from:\n\n<summary>x</summary>";
    expect([compacted, branch].map((text) => dialect.isGenuineUser([text]))).toEqual([false, false]);
    expect([compacted, branch].map((text) => dialect.isFold([text]))).toEqual([true, false]);
  });

  test("reads the last stated working directory", () => {
    expect(dialect.workingDirectoryOf(["Current working directory: /quoted\nx\nCurrent working directory: /w"])).toBe(
      "/w",
    );
  });

  test("recognises its tool set alone, and its own words beside any tools", () => {
    expect(dialect.recognises(headerOf({ toolNames: ["read", "bash", "edit", "write"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read", "bash", "edit", "write", "todowrite"] }), null)).toBe(
      false,
    );
    expect(dialect.recognises(headerOf({ toolNames: ["Read", "Bash", "Edit", "Write"] }), null)).toBe(false);
    const systemTexts = ["You are an expert coding assistant operating inside pi, a coding agent harness."];
    expect(dialect.recognises(headerOf({ systemTexts }), null)).toBe(true);
  });

  test.skipIf(recordedSessions === null)("recognises what the real client sends", () => {
    const folder = join(recordedSessions ?? "", "wire/pi/p1-anthropic");
    for (const name of readdirSync(folder)) {
      const body = JSON.parse(JSON.parse(readFileSync(join(folder, name), "utf8")).bodyRaw);
      const toolNames = body.tools.map((tool: { readonly name: string }) => tool.name);
      expect(dialect.recognises(headerOf({ toolNames }), "Anthropic/JS 0.91.1")).toBe(true);
    }
  });
});
