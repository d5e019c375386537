import { describe, expect, it } from "vitest";
import { pricesAt } from "../engine/price.ts";
import { anthropicProvider } from "./anthropic.ts";
import { readModelId } from "./anthropic-model-id.ts";
import { ANTHROPIC_MODELS, FORGETTING_MODELS, SYSTEM_MESSAGE_MODELS } from "./anthropic-models.ts";

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

  it.each(["claude-opus-5-5-preview", "claude-opus-6", "claude-sonnet-5-7", "gpt-5.4", "", "claude-2.1"])(
    "takes %j as unknown: binding, no price",
    (id) => {
      expect(anthropicProvider.modelFacts(id)).toMatchObject({
        isKnown: false,
        thinkingBinding: "prefix",
        ttlDefaultMs: 300_000,
        cacheTokensMin: 512,
        prices: [],
        windowTokens: null,
      });
    },
  );

  it("limits a request to 32 MB and 100 images and documents, on any model", () => {
    for (const id of ["claude-opus-4-5", "claude-opus-6", null]) {
      expect(anthropicProvider.modelFacts(id).media).toMatchObject({ bodyBytesMax: 33_554_432, imagesMax: 100 });
    }
  });

  it("takes a missing model as unknown", () => {
    expect(anthropicProvider.modelFacts(null)).toMatchObject({ isKnown: false, thinkingBinding: "prefix" });
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

  it("keeps each price in the documented proportion to the input price", () => {
    for (const id of anthropicProvider.modelIds) {
      if (id === "claude-3-haiku-20240307") continue;
      for (const { prices } of anthropicProvider.modelFacts(id).prices) {
        expect(prices.cacheWrite5m).toBeCloseTo(prices.input * 1.25, 10);
        expect(prices.cacheWrite1h).toBeCloseTo(prices.input * 2, 10);
      }
    }
  });

  it("dates a price and tiers it by the length of the prompt", () => {
    const read = (model: string, tokens: number, atMs: number) =>
      pricesAt(anthropicProvider.modelFacts(model), tokens, atMs)?.cacheRead;
    expect(read("claude-sonnet-5-5", 10, Date.UTC(2026, 9, 6))).toBe(0.2);
    expect(read("claude-sonnet-5-5", 10, Date.UTC(2026, 9, 7))).toBe(0.1);
    expect(read("claude-haiku-5-5", 100_000, 0)).toBe(0.01);
    expect(read("claude-haiku-5-5", 100_001, 0)).toBe(0.05);
    expect(read("claude-opus-9", 10, 0)).toBeUndefined();
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
