import { describe, expect, it } from "vitest";
import { pricesAt } from "../engine/price.ts";
import { anthropicProvider } from "./anthropic.ts";
import { readModelId } from "./anthropic-model-id.ts";
import { ANTHROPIC_MODELS } from "./anthropic-models.ts";
import { FORGETTING_MODELS, SYSTEM_MESSAGE_MODELS } from "./anthropic-traits.ts";

const NOW = Date.UTC(2026, 10, 1);

describe("anthropic models", () => {
  it.each([
    ["claude-sonnet-4-5-20250929", "sonnet", "4.5"],
    ["claude-opus-4-20250514", "opus", "4.0"],
    ["claude-3-5-haiku-20241022", "haiku", "3.5"],
    ["claude-3-7-sonnet-latest", "sonnet", "3.7"],
    ["claude-3-opus-20240229", "opus", "3.0"],
    ["claude-haiku-4-5", "haiku", "4.5"],
    ["claude-opus-5", "opus", "5.0"],
    ["claude-opus-5-5", "opus", "5.5"],
    ["claude-fable-5-1", "fable", "5.1"],
    ["anthropic/claude-sonnet-4.5", "sonnet", "4.5"],
    ["anthropic/claude-3.7-sonnet:thinking", "sonnet", "3.7"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "sonnet", "4.5"],
    ["anthropic.claude-3-5-haiku-20241022-v1:0", "haiku", "3.5"],
    ["claude-opus-4-1@20250805", "opus", "4.1"],
    ["claude-sonnet-4-5-20250929[1m]", "sonnet", "4.5"],
    ["claude-mythos-preview", "mythos", "preview"],
  ])("recognises %s as %s %s", (id, family, version) => {
    expect(readModelId(id)).toEqual({ family, version });
    expect(anthropicProvider.modelFacts(id).isKnown).toBe(true);
  });

  it.each([
    "claude-opus-5-5-preview",
    "claude-opus-6",
    "claude-sonnet-5-7",
    "gpt-5.4",
    "",
    "claude-2.1",
    "__proto__",
    null,
  ])("takes %j as unknown: the most cautious facts", (id) => {
    expect(anthropicProvider.modelFacts(id)).toMatchObject({
      isKnown: false,
      thinkingBinding: "prefix",
      ttlDefaultMs: 300_000,
      cacheTokensMin: 512,
      prices: [],
      windowTokens: null,
      deletesInCache: false,
    });
  });

  it("limits a request to 32 MB and 100 images and documents, on any model", () => {
    for (const id of ["claude-opus-4-5", "claude-opus-6", null]) {
      expect(anthropicProvider.modelFacts(id).media).toMatchObject({ bodyBytesMax: 33_554_432, imagesMax: 100 });
    }
  });

  it("caches at four breakpoints that look back twenty blocks, for five minutes or an hour, on any model", () => {
    for (const id of [...anthropicProvider.modelIds, "claude-opus-6", null]) {
      const { cache, ttlDefaultMs, deletesInCache } = anthropicProvider.modelFacts(id);
      expect(cache).toEqual({
        kind: "breakpoints",
        breakpointsMax: 4,
        lookbackBlocks: 20,
        ttlsMs: [300_000, 3_600_000],
      });
      expect({ ttlDefaultMs, deletesInCache }).toEqual({ ttlDefaultMs: 300_000, deletesInCache: false });
    }
  });

  it("binds thinking on exactly the models that may check the prefix", () => {
    const binding = anthropicProvider.modelIds.filter(
      (id) => anthropicProvider.modelFacts(id).thinkingBinding === "prefix",
    );
    expect(binding).toEqual([
      "claude-fable-5-2",
      "claude-fable-5-1",
      "claude-mythos-5-2",
      "claude-mythos-5-1",
      "claude-mythos-preview",
      "claude-opus-5-5",
      "claude-sonnet-5-5",
      "claude-haiku-5-5",
    ]);
  });

  it("recognises every id of its own table", () => {
    expect(anthropicProvider.modelIds.filter((id) => !anthropicProvider.modelFacts(id).isKnown)).toEqual([]);
    const named = [...FORGETTING_MODELS, ...SYSTEM_MESSAGE_MODELS];
    expect(named.filter((key) => ANTHROPIC_MODELS[key] === undefined)).toEqual([]);
  });

  it.each([
    [512, ["fable-5-1", "fable-5", "mythos-5-1", "mythos-5", "opus-5-5", "opus-5", "sonnet-5-5"]],
    [1_024, ["opus-4-8", "sonnet-5", "sonnet-4-6", "sonnet-4-5", "opus-4-1", "opus-4", "sonnet-4"]],
    [2_048, ["opus-4-7", "mythos-preview", "3-5-haiku"]],
    [4_096, ["opus-4-6", "opus-4-5", "haiku-4-5"]],
  ])("caches from %i tokens on: %j", (tokens, names) => {
    for (const name of names) expect(anthropicProvider.modelFacts(`claude-${name}`).cacheTokensMin, name).toBe(tokens);
  });

  it("has a window of a million tokens from generation 5 on, and of 200,000 before", () => {
    for (const id of anthropicProvider.modelIds) {
      const tokens = /^claude-[a-z]+-5/.test(id) ? 1_000_000 : 200_000;
      expect(anthropicProvider.modelFacts(id).windowTokens, id).toBe(tokens);
    }
  });

  it("tells which models take system messages and which forget old thinking", () => {
    expect(anthropicProvider.traitsOf("claude-opus-5-5")).toEqual({ allowsSystemMessages: true, keepsThinking: true });
    expect(anthropicProvider.traitsOf("claude-sonnet-5")).toEqual({ allowsSystemMessages: false, keepsThinking: true });
    expect(anthropicProvider.traitsOf("claude-sonnet-4-5")).toEqual({
      allowsSystemMessages: false,
      keepsThinking: false,
    });
    expect(anthropicProvider.traitsOf("unheard-of")).toEqual({ allowsSystemMessages: true, keepsThinking: true });
  });
});

describe("anthropic prices", () => {
  const figures = (id: string, tokens = 10, atMs = NOW) => {
    const prices = pricesAt(anthropicProvider.modelFacts(id), tokens, atMs);
    return prices === null
      ? null
      : [prices.input, prices.cacheWrite5m, prices.cacheWrite1h, prices.cacheRead, prices.output];
  };

  it.each([
    [
      ["fable-5-1", "mythos-5-1"],
      [10, 12.5, 20, 0.25, 50],
    ],
    [
      ["fable-5", "mythos-5"],
      [10, 12.5, 20, 1, 50],
    ],
    [["opus-5-5"], [4, 5, 8, 0.2, 20]],
    [
      ["opus-5", "opus-4-8", "opus-4-7", "opus-4-6", "opus-4-5"],
      [5, 6.25, 10, 0.5, 25],
    ],
    [["sonnet-5-5"], [2, 2.5, 4, 0.1, 10]],
    [["sonnet-5"], [2, 2.5, 4, 0.2, 10]],
    [
      ["sonnet-4-6", "sonnet-4-5", "sonnet-4"],
      [3, 3.75, 6, 0.3, 15],
    ],
    [["haiku-5-5"], [0.1, 0.125, 0.2, 0.01, 0.5]],
    [["haiku-4-5"], [1, 1.25, 2, 0.1, 5]],
    [["3-5-haiku"], [0.8, 1, 1.6, 0.08, 4]],
    [
      ["opus-4-1", "opus-4"],
      [15, 18.75, 30, 1.5, 75],
    ],
  ])("are those of the provider's page: %j", (names, expected) => {
    for (const name of names) expect(figures(`claude-${name}`), name).toEqual(expected);
  });

  it("change at the first token beyond a length", () => {
    expect(figures("claude-haiku-5-5", 100_000)).toEqual([0.1, 0.125, 0.2, 0.01, 0.5]);
    expect(figures("claude-haiku-5-5", 100_001)).toEqual([0.5, 0.625, 1, 0.05, 2.5]);
  });

  it("change at the first moment of a day", () => {
    const day = Date.UTC(2026, 9, 7);
    expect(figures("claude-sonnet-5-5", 10, day - 1)).toEqual([2, 2.5, 4, 0.2, 10]);
    expect(figures("claude-sonnet-5-5", 10, day)).toEqual([2, 2.5, 4, 0.1, 10]);
  });

  it("are unknown where none is on record", () => {
    for (const id of ["claude-fable-5-2", "claude-3-sonnet-20240229", "claude-opus-9"]) expect(figures(id)).toBeNull();
  });

  it("keep each write in the documented proportion to the input price", () => {
    for (const id of anthropicProvider.modelIds) {
      if (id === "claude-3-haiku-20240307") continue;
      for (const { prices } of anthropicProvider.modelFacts(id).prices) {
        expect(prices.cacheWrite5m).toBeCloseTo(prices.input * 1.25, 10);
        expect(prices.cacheWrite1h).toBeCloseTo(prices.input * 2, 10);
      }
    }
  });
});
