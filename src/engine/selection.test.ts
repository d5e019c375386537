import { describe, expect, it } from "vitest";
import { isWhole, parseRange } from "./selection.ts";

describe("a range", () => {
  it.each([
    [null, 1, null],
    ["", 1, null],
    ["0", 1, null],
    ["all", 1, null],
    ["3-7", 3, 7],
    ["3-", 3, null],
    ["-7", 1, 7],
    ["5", 5, 5],
    [" 2 - 4 ", 2, 4],
  ])("reads %j as lines %s to %s", (range, from, to) => {
    expect(parseRange(range)).toEqual({ ok: true, selection: { from, to, chars: null } });
  });

  it.each([
    ["7@2000-4000", 2000, 4000],
    ["7@2000-", 2000, null],
    ["7@-4000", 1, 4000],
    ["7@5", 5, 5],
  ])("reads %s as a slice of one long line", (range, from, to) => {
    expect(parseRange(range)).toEqual({ ok: true, selection: { from: 7, to: 7, chars: { from, to } } });
  });

  it.each([
    [null, true],
    ["", true],
    ["0", true],
    ["all", true],
    ["1-", true],
    ["1-5", false],
    ["1@1-", false],
    ["4-2", false],
  ])("%j is the whole: %s", (range, expected) => {
    expect(isWhole(range)).toBe(expected);
  });

  it.each([
    "4-2",
    "0-3",
    "-0",
    "-",
    "a",
    "1.5",
    "1-2-3",
    "1,2",
    "--3",
    "7@",
    "0@1-2",
    "1e3",
    "９",
    "-0",
    "0-",
    "00",
    "ALL",
    "7@0-3",
    "7@4-2",
    "7@1@2",
    "@3",
    "1-2 3",
    "+1",
    "0x10",
    "1".repeat(16),
  ])("refuses %j with the legal forms and clamps nothing", (range) => {
    const outcome = parseRange(range);
    expect(outcome.ok).toBe(false);
    expect(outcome.ok ? "" : outcome.words).toContain('"-B" (from the start to B)');
  });
});
