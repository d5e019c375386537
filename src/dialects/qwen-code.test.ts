import { describe, expect, test } from "vitest";
import { evidenceOf, step } from "../../test/support/evidence.ts";
import { headerOf } from "../../test/support/header.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { type DialectSample, testDialect } from "../testing/test-dialect.ts";
import { createQwenCodeDialect } from "./qwen-code.ts";

const dialect = createQwenCodeDialect();
const FILE = { file_path: "/w/f.ts" };
const UNCHANGED =
  "[File f.ts unchanged since last read in this session \u2014 the full content was provided earlier in this conversation.]";

const samples: readonly DialectSample[] = [
  {
    name: "a range from 0",
    tool: "read_file",
    input: { ...FILE, offset: 10, limit: 5 },
    result: { text: "Showing lines 11-15 of 900 total lines.\n\n---\n\na\nb\nc\nd\ne" },
    expected: {
      kind: "read",
      path: "/w/f.ts",
      window: { start: 11, end: 15, part: null },
      printed: { start: 11, end: 15 },
    },
  },
  {
    name: "a file longer than anybody counted",
    tool: "read_file",
    input: FILE,
    result: { text: "Showing lines 1-2 of at least 90000 total lines.\n\n---\n\na\nb" },
    expected: { window: { start: 1, end: null, part: null }, printed: { start: 1, end: 2 } },
  },
  {
    name: "pages",
    tool: "read_file",
    input: { file_path: "/w/f.pdf", pages: "1 - 5" },
    result: { text: "x" },
    expected: { window: { start: 1, end: null, part: "pages 1-5" } },
  },
  {
    name: "an unchanged file",
    tool: "read_file",
    input: FILE,
    result: { text: UNCHANGED },
    expected: { outcome: "ok", isUnchangedStub: true, printed: { start: 1, end: 0 } },
  },
  {
    name: "an edit",
    tool: "edit",
    input: FILE,
    result: { text: "The file: /w/f.ts has been updated. Showing lines 1-5 of 9 from the edited file:\n\n---\n\nx" },
    expected: { kind: "edit", changes: [{ kind: "edit", path: "/w/f.ts", source: "tool" }] },
  },
  {
    name: "an edit of what was not read",
    tool: "edit",
    input: FILE,
    result: { text: "File /w/f.ts has not been read in this session." },
    expected: { outcome: "failed", changes: [] },
  },
  {
    name: "a list",
    tool: "todo_write",
    input: { todos: [] },
    result: { text: "x" },
    expected: { kind: "other" },
  },
];

describe("the Qwen Code dialect", () => {
  for (const check of testDialect(dialect, createShellParser(), samples)) test(check.name, check.run);

  test("an unchanged answer makes the read it points to load-bearing", () => {
    const { factOf } = evidenceOf(
      [...step("r1", "read_file", FILE, "a\nb\n"), ...step("r2", "read_file", FILE, UNCHANGED)],
      undefined,
      dialect,
    );
    expect(factOf("r1")).toMatchObject({ isLoadBearing: true, superseded: null });
    expect(factOf("r2")).toMatchObject({ isUnchangedStub: true, stubTarget: factOf("r1")?.resultKey });
  });

  test("recognises its tools, its words and its user agent", () => {
    expect(dialect.recognises(headerOf({ toolNames: ["read_file", "edit", "run_shell_command"] }), null)).toBe(true);
    expect(dialect.recognises(headerOf({ toolNames: ["read_file", "replace", "run_shell_command"] }), null)).toBe(
      false,
    );
    expect(dialect.recognises(headerOf({}), "QwenCode/0.24.7 (linux; x64)")).toBe(true);
    expect(dialect.recognises(headerOf({ systemTexts: ["You are Qwen Code, an interactive CLI agent"] }), null)).toBe(
      true,
    );
  });
});
