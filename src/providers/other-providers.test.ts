import { describe, expect, it } from "vitest";
import { pricesAt } from "../engine/price.ts";
import { anthropicProvider } from "./anthropic.ts";
import { compatibleProvider } from "./compatible.ts";
import { deepseekProvider } from "./deepseek.ts";
import { geminiProvider } from "./gemini.ts";
import { groqProvider } from "./groq.ts";
import { openaiProvider } from "./openai.ts";
import { openrouterProvider } from "./openrouter.ts";

const DAY_MS = 86_400_000;
const BINDINGS: Readonly<Record<string, string>> = { openai: "block", gemini: "block", deepseek: "none" };

const OTHERS = [openaiProvider, geminiProvider, deepseekProvider];

/** Input, write, read and output. */
function figures(provider: (typeof OTHERS)[number], id: string, tokens = 10): readonly number[] | null {
  const prices = pricesAt(provider.modelFacts(id), tokens, 0);
  if (prices === null) return null;
  expect(prices.cacheWrite1h).toBe(prices.cacheWrite5m);
  return [prices.input, prices.cacheWrite5m, prices.cacheRead, prices.output];
}

describe("providers that a recording can be priced at", () => {
  it.each([
    [openaiProvider, ["gpt-5.5", "gpt-5.5-2026-04-01", "openai/gpt-5.5"], [5, 5, 0.5, 30]],
    [openaiProvider, ["gpt-5.4"], [2.5, 2.5, 0.25, 15]],
    [openaiProvider, ["gpt-5.3-codex", "gpt-5.2"], [1.75, 1.75, 0.175, 14]],
    [openaiProvider, ["gpt-5.1", "gpt-5", "gpt-5-codex"], [1.25, 1.25, 0.125, 10]],
    [openaiProvider, ["gpt-5-mini"], [0.25, 0.25, 0.025, 2]],
    [geminiProvider, ["gemini-3.1-pro", "gemini-3.1-pro-preview", "models/gemini-3.1-pro"], [2, 2, 0.2, 12]],
    [geminiProvider, ["gemini-2.5-pro", "gemini-2.5-pro-preview-06-05"], [1.25, 1.25, 0.125, 10]],
    [geminiProvider, ["gemini-3.5-flash"], [1.5, 1.5, 0.15, 9]],
    [geminiProvider, ["gemini-3-flash"], [0.5, 0.5, 0.05, 3]],
    [deepseekProvider, ["deepseek-v4-flash", "deepseek/deepseek-v4-flash"], [0.14, 0.14, 0.0028, 0.28]],
    [deepseekProvider, ["deepseek-v4-pro"], [0.435, 0.435, 0.003625, 0.87]],
  ])("have prices on record: $name %j", (provider, ids, expected) => {
    for (const id of ids) {
      expect(provider.modelFacts(id).isKnown, id).toBe(true);
      expect(figures(provider, id), id).toEqual(expected);
    }
  });

  it.each([
    [openaiProvider, "gpt-5.5", 272_000, [10, 10, 1, 45]],
    [openaiProvider, "gpt-5.4", 272_000, [5, 5, 0.5, 22.5]],
    [geminiProvider, "gemini-3.1-pro", 200_000, [4, 4, 0.4, 18]],
    [geminiProvider, "gemini-2.5-pro", 200_000, [2.5, 2.5, 0.25, 15]],
  ])("change prices at the first token beyond a length: $name %s over %i", (provider, id, tokens, beyond) => {
    expect(figures(provider, id, tokens)).toEqual(figures(provider, id, 1));
    expect(figures(provider, id, tokens + 1)).toEqual(beyond);
  });

  it("cache in their own ways", () => {
    expect(openaiProvider.modelFacts("gpt-5.5")).toMatchObject({
      cache: { kind: "prefix", stepTokens: 128 },
      cacheTokensMin: 1_024,
      ttlDefaultMs: DAY_MS,
    });
    expect(openaiProvider.modelFacts("gpt-5.6-sol")).toMatchObject({
      cache: { kind: "breakpoints", breakpointsMax: 4, ttlsMs: [1_800_000], keepsMs: DAY_MS },
      ttlDefaultMs: 1_800_000,
      prices: [],
    });
    expect(geminiProvider.modelFacts("gemini-2.5-pro").cache).toEqual({ kind: "prefix", stepTokens: 1 });
    expect(deepseekProvider.modelFacts("deepseek-v4-pro").cache).toEqual({ kind: "units" });
  });

  it("are taken as servers that cache by themselves where nothing else is on record of them", () => {
    const own = { isKnown: false, thinkingBinding: "none", cache: { kind: "prefix", stepTokens: 1 }, prices: [] };
    expect(compatibleProvider.modelFacts("qwen3-coder")).toMatchObject({ ...own, ttlDefaultMs: DAY_MS });
    expect(groqProvider.modelFacts("openai/gpt-oss-120b")).toMatchObject({ ...own, ttlDefaultMs: 7_200_000 });
    expect(openrouterProvider.modelFacts("qwen/qwen3-coder")).toMatchObject({ ...own, thinkingBinding: "prefix" });
    expect(openrouterProvider.modelFacts(null)).toMatchObject({ ...own, thinkingBinding: "prefix" });
  });

  it.each([
    ["anthropic/claude-opus-4.5", anthropicProvider],
    ["openai/gpt-5.5", openaiProvider],
    ["google/gemini-2.5-pro", geminiProvider],
    ["deepseek/deepseek-v4-pro:nitro", deepseekProvider],
  ])("keep the facts of a vendor behind a router: %s", (id, vendor) => {
    const facts = openrouterProvider.modelFacts(id);
    expect(facts.isKnown).toBe(true);
    expect(facts).toEqual(vendor.modelFacts(id.replace(":nitro", "")));
  });

  it("take what nothing on record says as cautiously as an unknown model", () => {
    for (const provider of OTHERS) {
      expect(provider.modelFacts("unheard-of")).toMatchObject({ isKnown: false, prices: [] });
      for (const id of [...provider.modelIds, "unheard-of"]) {
        expect(provider.modelFacts(id)).toMatchObject({
          isKnown: id !== "unheard-of",
          thinkingBinding: BINDINGS[provider.name],
          windowTokens: null,
          deletesInCache: false,
        });
      }
    }
  });
});
