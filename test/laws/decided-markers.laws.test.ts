import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltSource, buildSource } from "./child/built-source.ts";
import { inThreePlaces } from "./child/children.ts";
import type { MarkerAnswer, MarkerTask } from "./child/decided-markers.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";

const WITH_MARKER_MIN = 0.9;
let source: BuiltSource;

beforeAll(() => {
  source = buildSource();
});

afterAll(() => source.remove());

test("pure: an item and a decision give one marker, in any process, time zone and locale, whatever else the window holds", {
  timeout: TIMEOUT_MS,
}, async () => {
  const answers = await inThreePlaces<MarkerAnswer>(
    source.fileOf("test/laws/child/decided-markers"),
    (index): MarkerTask => ({ runs: RUNS, seed: SEED, own: SEED + 7_919 * (index + 1) }),
  );
  const [first, second, third] = answers;
  expect(new Set(answers.map(({ place }) => place)).size).toBe(3);
  expect(first?.markers).toHaveLength(RUNS);
  expect(second?.markers, `seed ${SEED}`).toEqual(first?.markers);
  expect(third?.markers, `seed ${SEED}`).toEqual(first?.markers);
  const markers = (first?.markers ?? []).filter((marker) => /^\[ebb [0-9a-hjkmnp-tv-z]{12}[ \]]/.test(marker));
  expect(markers.length / RUNS).toBeGreaterThanOrEqual(WITH_MARKER_MIN);
  for (const reason of ["by a recorded decision", "are kept here", "lifetime is over", "over the size bound"]) {
    expect(markers.some((marker) => marker.includes(reason))).toBe(true);
  }
});
