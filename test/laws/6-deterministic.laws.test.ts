import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltSource, buildSource } from "./child/built-source.ts";
import { hashesOfChildren } from "./child/children.ts";
import { expectShare, RUNS, SEED, TIMEOUT_MS } from "./property.ts";

let source: BuiltSource;

beforeAll(() => {
  source = buildSource();
});

afterAll(() => source.remove());

test("deterministic: three processes forward the same bytes, wherever they run and whatever else they do", {
  timeout: TIMEOUT_MS,
}, async () => {
  const answers = await hashesOfChildren(source, { runs: RUNS, seed: SEED, mutant: null });
  const [first, second, third] = answers;
  expect(new Set(answers.map(({ place }) => place)).size).toBe(3);
  expect(first?.hashes).toHaveLength(RUNS);
  expect(second?.hashes, `seed ${SEED}`).toEqual(first?.hashes);
  expect(third?.hashes, `seed ${SEED}`).toEqual(first?.hashes);
  expectShare(first?.withRelease ?? 0, RUNS, `3 × ${RUNS} sessions`);
});
