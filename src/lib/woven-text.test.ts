import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWoven } from "./woven-text.ts";

describe("a text with pieces put in", () => {
  it("is told from every other, whatever stands around the pieces", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "b", "[m]"), maxLength: 6 });
    const pieces = fc.array(fc.constantFrom("[m]", "a", "ab"), { maxLength: 3 });
    fc.assert(
      fc.property(part, pieces, fc.array(fc.nat(), { minLength: 3, maxLength: 3 }), (text, put, places) => {
        const at = places.slice(0, put.length).map((place) => place % (text.length + 1));
        at.sort((one, other) => one - other);
        const parts = put.map((piece, index) => text.slice(at[index - 1] ?? 0, at[index]) + piece);
        const whole = parts.join("") + text.slice(at.at(-1) ?? 0);
        expect(isWoven(whole, text, put)).toBe(true);
        expect(isWoven(`${whole}x`, text, put)).toBe(false);
        expect(isWoven(`x${whole.slice(1)}`, text, put)).toBe(whole === "x");
      }),
    );
  });

  it("holds its pieces in order", () => {
    expect(isWoven("a1b2c", "abc", ["1", "2"])).toBe(true);
    expect(isWoven("a2b1c", "abc", ["1", "2"])).toBe(false);
    expect(isWoven("abc", "abc", [])).toBe(true);
    expect(isWoven("abd", "abc", [])).toBe(false);
  });
});
