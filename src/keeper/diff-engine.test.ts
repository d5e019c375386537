import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyHunks } from "../../test/support/edit-replay.ts";
import { createDiffEngine } from "./diff-engine.ts";

const engine = createDiffEngine();
const text = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "a"), { maxLength: 12 })
  .map((lines) => lines.join(""));

describe("a difference by lines", () => {
  it("makes one text out of the other, and is nothing for equal texts", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = engine.diff(before, after);
        expect(applyHunks(before, hunks)).toBe(after);
        expect(hunks.length === 0).toBe(before === after);
      }),
    );
  });

  it("gives up the shortest way for texts that share too little, and stays right", () => {
    const before = Array.from({ length: 3_000 }, (_, line) => `left ${line}\n`).join("");
    const after = Array.from({ length: 3_000 }, (_, line) => `right ${line}\n`).join("");
    const hunks = engine.diff(before, `${after}end`);
    expect(hunks).toMatchObject([{ before: { start: 1, count: 3_000 }, after: { start: 1, count: 3_001 } }]);
    expect(applyHunks(before, hunks)).toBe(`${after}end`);
    expect(applyHunks("", engine.diff("", after))).toBe(after);
    expect(applyHunks(before, engine.diff(before, ""))).toBe("");
  });
});
