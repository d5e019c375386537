import { expect, test } from "vitest";
import { fitSizes, type SizeSample } from "./sizes.ts";

const sample = (counted: number, reported: number, read = 0): SizeSample => ({
  counted,
  countedHead: 0,
  reported,
  read,
});

test("fits a base and a rate to samples that lie apart", () => {
  const { base, rate } = fitSizes([0, 10_000, 40_000].map((counted) => sample(counted, 8_000 + 1.5 * counted)));
  expect(rate).toBeCloseTo(1.5, 2);
  expect(Math.abs(base - 8_000)).toBeLessThan(100);
});

test("keeps the expected rate where the samples are alike", () => {
  expect(fitSizes([sample(1_000, 11_200), sample(1_000, 11_200)])).toEqual({ base: 10_000, rate: 1.2, head: null });
});

test("looks at the first five samples only", () => {
  const first = [1, 2, 3, 4, 5].map((step) => sample(step * 1_000, 9_000 + step * 1_100));
  expect(fitSizes([...first, sample(1, 900_000, 3)])).toEqual(fitSizes(first));
});

test("takes a read that ends inside the first prompt as system prompt and tools, and one of all of it not", () => {
  expect(fitSizes([sample(5_000, 20_000, 12_000), sample(6_000, 21_000, 19_990)]).head).toBe(12_000);
  expect(fitSizes([sample(5_000, 20_000, 0), sample(6_000, 21_000, 19_990)]).head).toBeNull();
});

test("is one to one where nothing was reported", () => {
  expect(fitSizes([])).toEqual({ base: 0, rate: 1, head: null });
});
