import { describe, expect, it } from "vitest";
import { anthropicProvider } from "./anthropic.ts";
import { asModel } from "./as-model.ts";
import { openaiProvider } from "./openai.ts";
import { priceRow } from "./price-rows.ts";
import { type StatedModel, withStatedModels } from "./stated-models.ts";

const PRICES = [priceRow([1, 2, 3, 4, 5])];
const WHOLE = { thinkingBinding: "none", cache: { kind: "breakpoints" }, prices: PRICES } as const;

function factsOf(id: string | null, ...stated: readonly StatedModel[]) {
  return withStatedModels(anthropicProvider, stated).modelFacts(id);
}

describe("what is stated of a model", () => {
  it("takes the place of what is on record, and of nothing else", () => {
    const recorded = anthropicProvider.modelFacts("claude-opus-4-8");
    expect(factsOf("claude-opus-4-8", { name: "claude-opus-4-8", windowTokens: 7 })).toEqual({
      ...recorded,
      windowTokens: 7,
    });
    const stated: StatedModel = {
      name: "claude-opus-4-8",
      thinkingBinding: "block",
      prices: PRICES,
      deletesInCache: true,
      cache: { tokensMin: 3, lookbackBlocks: 9, ttlsMs: [60_000] },
      media: { imagesMax: 20 },
    };
    expect(factsOf("claude-opus-4-8", stated)).toEqual({
      ...recorded,
      thinkingBinding: "block",
      prices: PRICES,
      deletesInCache: true,
      cacheTokensMin: 3,
      cache: { kind: "breakpoints", breakpointsMax: 4, lookbackBlocks: 9, ttlsMs: [60_000] },
      ttlDefaultMs: 60_000,
      media: { ...recorded.media, imagesMax: 20 },
    });
    expect(factsOf("claude-opus-4-7", stated)).toEqual(anthropicProvider.modelFacts("claude-opus-4-7"));
  });

  it("is the more exact the longer its name: an id, a long beginning, a short one, a star", () => {
    const all: readonly StatedModel[] = [
      { name: "claude-opus-4-8", windowTokens: 1 },
      { name: "claude-opus-*", windowTokens: 2, deletesInCache: true },
      { name: "*", windowTokens: 4, prices: PRICES },
      { name: "claude-*", windowTokens: 3 },
    ];
    const windows = ["claude-opus-4-8", "claude-opus-4-8-20260101", "claude-haiku-4-5", "gpt-9", null].map(
      (id) => factsOf(id, ...all).windowTokens,
    );
    expect(windows).toEqual([1, 2, 3, 4, 4]);
    expect(factsOf("claude-opus-4-8", ...all)).toMatchObject({ deletesInCache: true, prices: PRICES });
    expect(factsOf("Claude-Opus-4-8", ...all).windowTokens).toBe(1);
  });

  it("starts from the usual values where the cache is of another kind", () => {
    expect(factsOf("claude-opus-4-8", { name: "*", cache: { kind: "prefix" } }).cache).toEqual({
      kind: "prefix",
      stepTokens: 1,
    });
    expect(factsOf(null, { name: "*", cache: { kind: "prefix", stepTokens: 16 } }).cache).toMatchObject({
      stepTokens: 16,
    });
    expect(factsOf(null, { name: "*", cache: { kind: "units" } }).cache).toEqual({ kind: "units" });
    expect(factsOf(null, { name: "*", cache: { kind: "none" } }).cache).toEqual({ kind: "none" });
    const openai = withStatedModels(openaiProvider, [{ name: "*", cache: { kind: "breakpoints", breakpointsMax: 2 } }]);
    expect(openai.modelFacts("gpt-5.5").cache).toEqual({
      kind: "breakpoints",
      breakpointsMax: 2,
      lookbackBlocks: 20,
      ttlsMs: [300_000, 3_600_000],
    });
  });

  it("makes a model known once binding, kind of cache and prices are stated, together or apart", () => {
    expect(factsOf("mine-1", { name: "mine-1", ...WHOLE })).toMatchObject({ isKnown: true, thinkingBinding: "none" });
    expect(
      factsOf("mine-1", { name: "*", prices: PRICES }, { name: "mine-*", ...WHOLE, prices: undefined }),
    ).toMatchObject({
      isKnown: true,
    });
    for (const missing of ["thinkingBinding", "cache", "prices"] as const) {
      expect(factsOf("mine-1", { name: "mine-1", ...WHOLE, [missing]: undefined }).isKnown, missing).toBe(false);
    }
    expect(factsOf("other", { name: "mine-1", ...WHOLE }).isKnown).toBe(false);
    expect(factsOf("claude-opus-4-8", { name: "*", windowTokens: 1 }).isKnown).toBe(true);
  });

  it("leaves everything else of the provider as it is", () => {
    const { modelFacts: _own, ...rest } = withStatedModels(anthropicProvider, [{ name: "*", ...WHOLE }]);
    const { modelFacts: _recorded, ...recorded } = anthropicProvider;
    expect(rest).toEqual(recorded);
  });
});

describe("a provider as if every request named one model", () => {
  it("answers with that model's facts, stated ones included", () => {
    const stated = withStatedModels(openaiProvider, [{ name: "gpt-5.5", windowTokens: 5 }]);
    const one = asModel(stated, "gpt-5.5");
    expect(one.modelFacts("claude-opus-4-8")).toEqual(stated.modelFacts("gpt-5.5"));
    expect(one.modelFacts(null).windowTokens).toBe(5);
    expect(one.name).toBe("openai");
  });
});
