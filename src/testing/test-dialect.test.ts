import { describe, expect, test } from "vitest";
import { createPiDialect } from "../dialects/pi.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { FileChange } from "../model/acquisition.ts";
import type { Dialect } from "../model/ports.ts";
import { type DialectSample, testDialect } from "./test-dialect.ts";

const honest = createPiDialect();
const shell = createShellParser();
const change: FileChange = { kind: "edit", path: "f", source: "tool" };
const sample: DialectSample = {
  name: "an edit",
  tool: "edit",
  input: { path: "f" },
  result: { text: "Successfully replaced 1 block(s) in f." },
  expected: { kind: "edit", changes: [change] },
};

function failuresOf(dialect: Dialect): readonly string[] {
  return testDialect(dialect, shell, [sample]).flatMap((check) => {
    try {
      check.run();
      return [];
    } catch {
      return [check.name];
    }
  });
}

let calls = 0;
const liars: readonly (readonly [string, Partial<Dialect>, string])[] = [
  [
    "claims changes of failed calls",
    { acquire: (...call) => ({ ...honest.acquire(...call), changes: [change] }) },
    "changes no file when it failed",
  ],
  [
    "takes every call for a success",
    { acquire: (...call) => ({ ...honest.acquire(...call), outcome: "ok" }) },
    "proves nothing before its result",
  ],
  [
    "forgets what it should see",
    { acquire: (...call) => ({ ...honest.acquire(...call), kind: "other" }) },
    "means what is expected",
  ],
  [
    "answers otherwise each time",
    { acquire: (...call) => ({ ...honest.acquire(...call), command: `${calls++}` }) },
    "is read the same twice",
  ],
  [
    "throws on odd input",
    { acquire: (call, ...rest) => (call.input === null ? fail() : honest.acquire(call, ...rest)) },
    "without throwing",
  ],
  [
    "takes a run for a read without its file",
    { acquire: (...call) => ({ ...honest.acquire(...call), kind: "run", isShellRead: true }) },
    "means what is expected",
  ],
  ["takes silence for a person", { isGenuineUser: () => true }, "no empty message"],
  ["sees notices everywhere", { noticesIn: () => [{ ...change, source: "notice" }] }, "only where a text states them"],
  ["has no name", { name: "" }, "names itself"],
];

function fail(): never {
  throw new Error("odd");
}

describe("the dialect kit", () => {
  test("passes an honest dialect", () => expect(failuresOf(honest)).toEqual([]));

  test.each(liars)("catches a dialect that %s", (_, lie, check) => {
    expect(failuresOf({ ...honest, ...lie }).some((name) => name.includes(check))).toBe(true);
  });
});
