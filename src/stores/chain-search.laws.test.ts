import fc from "fast-check";
import { expect, test } from "vitest";
import { deepestKnown } from "./chain-search.ts";

test("finds the deepest known position of any gapless history", () => {
  fc.assert(
    fc.property(fc.nat(40_000), fc.nat(40_000), (length, known) => {
      const deepest = Math.min(length, known);
      expect(deepestKnown(length, (position) => position <= known)).toBe(deepest);
    }),
    { numRuns: 1_000 },
  );
});

test("probes no more than the walk and a binary search, however long the history", () => {
  fc.assert(
    fc.property(fc.nat(30_000), (known) => {
      let probes = 0;
      deepestKnown(30_000, (position) => {
        probes++;
        return position <= known;
      });
      expect(probes).toBeLessThanOrEqual(40);
    }),
    { numRuns: 300 },
  );
});

test("probes only positions of the chain", () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), (length, known) => {
      deepestKnown(length, (position) => {
        expect(position).toBeGreaterThanOrEqual(1);
        expect(position).toBeLessThanOrEqual(length);
        return position <= known;
      });
    }),
  );
});
