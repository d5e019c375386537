import { describe, expect, it } from "vitest";
import type { CacheEntry, CachePlace } from "../model/cache.ts";
import { compareRead, type PredictionGround, predictUsage } from "./prediction.ts";

const MINUTES_5 = 300_000;
const RULES = {
  kind: "breakpoints",
  breakpointsMax: 4,
  lookbackBlocks: 20,
  ttlsMs: [MINUTES_5],
} as const;

function place(itemCount: number): CachePlace {
  return { itemCount, blockCount: itemCount, ttlMs: MINUTES_5 };
}

function entry(itemCount: number, tokens: number | null): CacheEntry {
  return { ...place(itemCount), usedAtMs: 0, tokens, requestId: `q${itemCount}` };
}

/** A head of 1,000 tokens and items of 100. */
const ground: PredictionGround = {
  rules: RULES,
  tokensMin: 512,
  entries: [entry(10, null), entry(20, 3_100)],
  sameCount: 24,
  places: [place(24)],
  headBreakpoints: 1,
  sizes: { upTo: (itemCount) => 1_000 + itemCount * 100 },
  isAllSeen: true,
  isDeleting: false,
};

describe("what a request is predicted to read", () => {
  it("is the longest prefix that a breakpoint finds, in the tokens the provider counted for it", () => {
    const { prediction, entry: found } = predictUsage(ground);
    expect(prediction).toEqual({ place: "entry", readTokens: 3_100, writtenTokens: 400, isExact: true });
    expect(found?.itemCount).toBe(20);
  });

  it("is not known where the prefix may be too short to be remembered", () => {
    const short = { ...ground, entries: [entry(10, null)], places: [place(12)], tokensMin: 1_001 };
    expect(predictUsage(short).prediction.place).toBe("unknown");
    expect(predictUsage({ ...short, tokensMin: 999 }).prediction.place).toBe("entry");
    expect(predictUsage({ ...short, entries: [entry(10, 1_900)] }).prediction.isExact).toBe(true);
  });

  it("is an estimate where no response told how long the prefix is, or some of it is newly deleted", () => {
    expect(predictUsage({ ...ground, isDeleting: true }).prediction).toMatchObject({ place: "entry", isExact: false });
    expect(predictUsage({ ...ground, sameCount: 15 }).prediction).toEqual({
      place: "entry",
      readTokens: 2_000,
      writtenTokens: 1_400,
      isExact: false,
    });
  });

  it("ends at a prefix in front of the first item that changed, and never at one behind it", () => {
    expect(predictUsage({ ...ground, sameCount: 19 }).entry?.itemCount).toBe(10);
    expect(predictUsage({ ...ground, sameCount: 20 }).entry?.itemCount).toBe(20);
  });

  it("reaches no prefix further back than a breakpoint looks, and a spare breakpoint reaches it", () => {
    const entries = [entry(4, 1_400)];
    expect(predictUsage({ ...ground, entries }).prediction.place).toBe("head");
    expect(predictUsage({ ...ground, entries, places: [place(23)] }).prediction.place).toBe("entry");
    expect(predictUsage({ ...ground, entries, places: [place(5), place(24)] }).entry?.itemCount).toBe(4);
  });

  it("is at most system prompt and tools where nothing of the messages is on record", () => {
    expect(predictUsage({ ...ground, entries: [] }).prediction).toEqual({
      place: "head",
      readTokens: 1_000,
      writtenTokens: 2_400,
      isExact: false,
    });
  });

  it("is nothing without a breakpoint, and without a cache", () => {
    const nothing = { place: "nothing", readTokens: 0, writtenTokens: 0, isExact: true };
    expect(predictUsage({ ...ground, places: [], headBreakpoints: 0 }).prediction).toEqual(nothing);
    expect(predictUsage({ ...ground, rules: { kind: "none" } }).prediction).toEqual(nothing);
  });

  it("is unknown where requests went before that are not on record", () => {
    const unknown = { place: "unknown", readTokens: null, writtenTokens: null, isExact: false };
    expect(predictUsage({ ...ground, isAllSeen: false }).prediction).toEqual(unknown);
    for (const rules of [{ kind: "units" }, { kind: "prefix", stepTokens: 128 }] as const) {
      expect(predictUsage({ ...ground, rules, isAllSeen: false }).prediction).toMatchObject(unknown);
    }
  });
});

describe("a reported read", () => {
  const exact = { place: "entry", readTokens: 10_000, writtenTokens: 0, isExact: true } as const;
  const estimated = { ...exact, isExact: false };
  const head = { ...estimated, place: "head" } as const;
  const nothing = { ...exact, place: "nothing", readTokens: 0 } as const;
  const unknown = { ...estimated, place: "unknown", readTokens: null } as const;

  it.each([
    [exact, 10_000, "held"],
    [exact, 9_900, "held"],
    [exact, 10_101, "held"],
    [exact, 9_899, "less"],
    [exact, 10_102, "more"],
    [{ ...exact, readTokens: 1_000 }, 936, "held"],
    [{ ...exact, readTokens: 1_000 }, 935, "less"],
    [estimated, 10_000, "unjudged"],
    [estimated, 22_048, "unjudged"],
    [estimated, 22_049, "more"],
    [estimated, 2_952, "unjudged"],
    [estimated, 2_951, "less"],
    [head, 0, "unjudged"],
    [head, 22_049, "more"],
    [nothing, 0, "unjudged"],
    [nothing, 65, "more"],
    [unknown, 50_000, "unjudged"],
  ] as const)("%# compares as told", (prediction, cacheReadTokens, comparison) => {
    expect(compareRead(prediction, { cacheReadTokens })).toBe(comparison);
  });
});
