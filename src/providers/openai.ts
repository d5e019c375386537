import type { CacheRules, PriceRow } from "../model/cache.ts";
import { MEDIA_FACTS } from "./media-facts.ts";
import { type ModelRow, providerOf, type RecordedFacts, type TableProvider } from "./model-table.ts";
import { freeWrites } from "./price-rows.ts";

const DAY_MS = 86_400_000;
const HALF_HOUR_MS = 1_800_000;
const TIER_TOKENS = 272_000;
const CACHE_TOKENS_MIN = 1_024;

/** Every model before GPT-5.6. Source: the provider's prompt caching page. */
const AUTOMATIC: CacheRules = { kind: "prefix", stepTokens: 128 };

/** GPT-5.6 and later: breakpoints without a limit of blocks; the one lifetime is a minimum, a day the most. Source: the same page and its SDK. */
const MARKED: CacheRules = {
  kind: "breakpoints",
  breakpointsMax: 4,
  lookbackBlocks: Number.MAX_SAFE_INTEGER,
  ttlsMs: [HALF_HOUR_MS],
  keepsMs: DAY_MS,
};

/**
 * Reasoning items may stand behind results that were shortened: the provider's own SDK shortens them so. Without a word of the request
 * a prefix is kept for up to a day. Nothing on record says how long a prompt may be. Sources: the page of the `ToolOutputTrimmer` in
 * the OpenAI Agents SDK (https://openai.github.io/openai-agents-python/ref/extensions/tool_output_trimmer); the API reference of
 * `prompt_cache_retention`.
 */
const ASSUMED: RecordedFacts = {
  thinkingBinding: "block",
  keepsThinking: true,
  cache: AUTOMATIC,
  ttlDefaultMs: DAY_MS,
  cacheTokensMin: CACHE_TOKENS_MIN,
  prices: [],
  windowTokens: null,
  deletesInCache: false,
  media: MEDIA_FACTS,
};

/** Prices of 2026-07, from a public table of models in an open-source repository; none is on record for GPT-5.6 or before GPT-5. */
const MODELS: Readonly<Record<string, ModelRow>> = Object.fromEntries([
  marked("gpt-5.6-sol"),
  marked("gpt-5.6-terra"),
  marked("gpt-5.6-luna"),
  automatic("gpt-5.5", [freeWrites(5, 0.5, 30), freeWrites(10, 1, 45, { promptTokensOver: TIER_TOKENS })]),
  automatic("gpt-5.4", [freeWrites(2.5, 0.25, 15), freeWrites(5, 0.5, 22.5, { promptTokensOver: TIER_TOKENS })]),
  automatic("gpt-5.3-codex", [freeWrites(1.75, 0.175, 14)]),
  automatic("gpt-5.2", [freeWrites(1.75, 0.175, 14)]),
  automatic("gpt-5.1", [freeWrites(1.25, 0.125, 10)]),
  automatic("gpt-5", [freeWrites(1.25, 0.125, 10)]),
  automatic("gpt-5-codex", [freeWrites(1.25, 0.125, 10)]),
  automatic("gpt-5-mini", [freeWrites(0.25, 0.025, 2)]),
  automatic("gpt-4.1", []),
  automatic("gpt-4o", []),
  automatic("o3", []),
  automatic("o4-mini", []),
]);

/** The OpenAI API: names, cache rules and prices. */
export const openaiProvider: TableProvider = providerOf({
  name: "openai",
  originDefault: "https://api.openai.com",
  rows: MODELS,
  keyOf: bareId,
  assumed: ASSUMED,
  sources: [
    "Cache rules, minimum lengths and lifetimes: the provider's documentation. The minimum of GPT-5.6 is that of the models before it.",
    "Prices and their length tiers: a public table of models in an open-source repository, of July 2026. Prices of GPT-5.6 are reported by third parties only, and those before GPT-5 only as proportions; state them under `models`.",
    "Writing to the cache costs what input costs before GPT-5.6, and 1.25 times that from it on.",
    "Reasoning: bound to itself alone. The provider's [Agents SDK](https://openai.github.io/openai-agents-python/ref/extensions/tool_output_trimmer) has a filter of its own that shortens older tool outputs in front of it.",
    "Lifetime: the API reference of `prompt_cache_retention`: up to a day by default, and the only one from GPT-5.5 on. Organisations that keep no data have entries for an hour at most; Ebb does not count on that.",
  ],
});

function marked(id: string): readonly [string, ModelRow] {
  return [id, { id, facts: { ...ASSUMED, cache: MARKED, ttlDefaultMs: HALF_HOUR_MS } }];
}

function automatic(id: string, prices: readonly PriceRow[]): readonly [string, ModelRow] {
  return [id, { id, facts: { ...ASSUMED, prices } }];
}

/** Without a router's prefix and without the date at its end. */
function bareId(id: string): string {
  return id
    .trim()
    .toLowerCase()
    .replace(/^openai\//, "")
    .replace(/-\d{4}-\d{2}-\d{2}$/, "");
}
