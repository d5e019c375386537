import { describe, expect, it } from "vitest";
import type { CacheEntry, CachePlace, CacheRules } from "../model/cache.ts";
import type { Usage } from "../model/usage.ts";
import { verdictOf } from "./attribution.ts";
import { type CacheEntries, liveEntries, NO_ENTRIES, withMarkedRequest, withReportedUsage } from "./cache-entries.ts";
import { cacheLifetimeOf } from "./cache-lifetime.ts";
import { compareRead, type PredictionGround, predictUsage } from "./prediction.ts";

const DAY = 86_400_000;
const NAME = { model: "m", cacheKey: "k" };
const STEPS = { kind: "prefix", stepTokens: 128 } as const;
const UNITS = { kind: "units" } as const;

const end = (itemCount: number): CachePlace => ({ itemCount, blockCount: itemCount, ttlMs: DAY, isWhole: true });

function entry(itemCount: number, tokens: number | null): CacheEntry {
  return { ...end(itemCount), usedAtMs: 0, tokens, requestId: `q${itemCount}` };
}

/** A head of 1,000 tokens and items of 100. */
const ground: PredictionGround = {
  rules: STEPS,
  tokensMin: 1_024,
  entries: [entry(10, 2_100), entry(20, 3_100)],
  sameCount: 24,
  places: [end(24)],
  headBreakpoints: 0,
  sizes: { upTo: (itemCount) => 1_000 + itemCount * 100 },
  isAllSeen: true,
  isDeleting: false,
};

const under = (changes: Partial<PredictionGround>) => predictUsage({ ...ground, ...changes });

describe("what a provider reads that remembers whole prompts by itself", () => {
  it("is the last prompt in whole steps, without any breakpoint", () => {
    expect(under({}).prediction).toEqual({
      place: "entry",
      readTokens: 3_072,
      writtenTokens: 300,
      isExact: true,
      stepTokens: 128,
    });
  });

  it("goes up to a change inside it where it remembers token by token, and back to a whole unit where it does not", () => {
    expect(under({ sameCount: 15 })).toMatchObject({
      prediction: { place: "entry", readTokens: 2_432, isExact: false },
      entry: { itemCount: 15, tokens: null },
    });
    expect(under({ rules: UNITS, sameCount: 15 })).toMatchObject({
      prediction: { place: "entry", readTokens: 2_100, isExact: true },
      entry: { itemCount: 10 },
    });
    expect(under({ rules: UNITS, sameCount: 9 }).prediction).toMatchObject({ place: "head", readTokens: 1_000 });
  });

  it("is at most the head where nothing of the messages is on record, and unknown where that is too short", () => {
    expect(under({ entries: [] }).prediction).toMatchObject({ place: "head", readTokens: 1_000, writtenTokens: 2_400 });
    expect(under({ entries: [entry(20, 1_000)] }).prediction.place).toBe("unknown");
  });

  it.each([
    [2_944, "held"],
    [2_943, "less"],
    [3_500, "held"],
    [0, "less"],
  ] as const)("holds at %i tokens: %s", (cacheReadTokens, comparison) => {
    expect(compareRead(under({}).prediction, { cacheReadTokens })).toBe(comparison);
  });

  it("is not expected to tell of writes, and proves nothing where it tells of no read", () => {
    const request = {
      model: "m",
      parts: { tools: "t", system: "s", thinking: null, effort: null, toolChoice: null },
      turn: 1,
      mediaCount: 0,
      hasLostThinking: false,
      hasSentThinking: false,
      isHistoryEdited: false,
      isChangedByEbb: false,
      age: null,
      lapsed: null,
    };
    const usage = (cacheReadTokens: number): Usage => ({
      inputTokens: 3_400 - cacheReadTokens,
      cacheReadTokens,
      cacheWriteTokens: 0,
      outputTokens: 1,
    });
    const verdict = (changes: Partial<PredictionGround>, read: number) => {
      const { prediction } = under(changes);
      return verdictOf({ previous: null, request, prediction, usage: usage(read), cacheTokensMin: 1_024 });
    };
    expect(verdict({ entries: [] }, 0)).toBe("unjudged");
    expect(verdict({ isAllSeen: false }, 0)).toBe("unjudged");
    expect(verdict({}, 0)).toBe("none reported");
    expect(verdict({}, 3_072)).toBe("held");
    expect(verdict({}, 1_024)).toBe("unknown");
  });
});

describe("what a prompt leaves there", () => {
  const sent = (before: CacheEntries, itemCount: number, sameCount = 1_000) =>
    withMarkedRequest(before, {
      ...NAME,
      requestId: `q${itemCount}`,
      atMs: 0,
      itemCount,
      cacheTtlMs: DAY,
      breakpoints: [end(itemCount)],
      sameCount,
    });
  const left = (entries: CacheEntries) =>
    liveEntries(entries, NAME, 0).map(({ itemCount, tokens }) => [itemCount, tokens]);

  it("is all of it, as long as the provider counted the prompt", () => {
    const usage = { inputTokens: 500, cacheReadTokens: 1_024, cacheWriteTokens: 0, outputTokens: 9 };
    const first = withReportedUsage(sent(NO_ENTRIES, 4), "q4", { ...usage, cacheReadTokens: 0 });
    expect(left(first)).toEqual([[4, 500]]);
    const second = withReportedUsage(sent(first, 90), "q90", usage);
    expect(left(second)).toEqual([
      [4, 500],
      [90, 1_524],
    ]);
    expect(left(sent(second, 92, 50))).toEqual([
      [4, 500],
      [92, null],
    ]);
  });

  it.each([
    [STEPS, null, DAY],
    [UNITS, 300_000, DAY],
    [{ kind: "none" }, 300_000, 0],
    [marked({}), null, null],
    [marked({}), 300_000, 300_000],
    [marked({ keepsMs: DAY }), 1_800_000, DAY],
  ] as const)("stays for as long as %j and a lifetime of %s say", (cache, cacheTtlMs, lifetimeMs) => {
    expect(cacheLifetimeOf({ cacheTtlMs }, { cache, ttlDefaultMs: DAY })).toBe(lifetimeMs);
  });
});

function marked(more: { readonly keepsMs?: number }): CacheRules {
  return { kind: "breakpoints", breakpointsMax: 4, lookbackBlocks: 20, ttlsMs: [300_000], ...more };
}
