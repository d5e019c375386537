import type { CacheRules, PriceRow, ThinkingBinding } from "../model/cache.ts";
import { MEDIA_FACTS } from "./media-facts.ts";
import type { ModelRow, RecordedFacts } from "./model-table.ts";
import { onePrice, priceRow } from "./price-rows.ts";

const TTL_DEFAULT_MS = 300_000;
const TTL_HOUR_MS = 3_600_000;
/** 2026-10-07, when the read price of Sonnet 5.5 halved: the day, and the price before it, are third parties' reports. */
const SONNET_55_CUT_MS = 1_791_331_200_000;
const HAIKU_55_TIER_TOKENS = 100_000;
const WINDOW_5_TOKENS = 1_000_000;
/** The shorter one where a model may have been sold with either. */
const WINDOW_TOKENS = 200_000;
const IS_GENERATION_5 = /^claude-[a-z]+-5/;

/** Breakpoints, their lookback and lifetimes. Source: the provider's prompt caching page. */
const CACHE: CacheRules = {
  kind: "breakpoints",
  breakpointsMax: 4,
  lookbackBlocks: 20,
  ttlsMs: [TTL_DEFAULT_MS, TTL_HOUR_MS],
};

/** The most cautious values: bound thinking, the shortest minimum of any model, no price and no window on record. */
export const ANTHROPIC_ASSUMED: RecordedFacts = {
  thinkingBinding: "prefix",
  keepsThinking: true,
  cache: CACHE,
  ttlDefaultMs: TTL_DEFAULT_MS,
  cacheTokensMin: 512,
  prices: [],
  windowTokens: null,
  deletesInCache: false,
  media: MEDIA_FACTS,
};

const OPUS_45 = onePrice(5, 6.25, 10, 0.5, 25);
const OPUS_OLD = onePrice(15, 18.75, 30, 1.5, 75);
const SONNET_OLD = onePrice(3, 3.75, 6, 0.3, 15);
const LARGE_50 = onePrice(10, 12.5, 20, 1, 50);
const LARGE_51 = onePrice(10, 12.5, 20, 0.25, 50);

/**
 * Models on record by `family version`. Binding is `prefix` for every model that may run the prefix check. Source: the provider's
 * pricing, prompt caching and preserved thinking pages, but for the minimum of Haiku 5.5, which no page states and which is
 * assumed to be the shortest.
 */
export const ANTHROPIC_MODELS: Readonly<Record<string, ModelRow>> = {
  "fable 5.2": row("claude-fable-5-2", "prefix", 512, []),
  "fable 5.1": row("claude-fable-5-1", "prefix", 512, LARGE_51),
  "fable 5.0": row("claude-fable-5", "none", 512, LARGE_50),
  "mythos 5.2": row("claude-mythos-5-2", "prefix", 512, []),
  "mythos 5.1": row("claude-mythos-5-1", "prefix", 512, LARGE_51),
  "mythos 5.0": row("claude-mythos-5", "none", 512, LARGE_50),
  "mythos preview": row("claude-mythos-preview", "prefix", 2048, []),
  "opus 5.5": row("claude-opus-5-5", "prefix", 512, onePrice(4, 5, 8, 0.2, 20)),
  "opus 5.0": row("claude-opus-5", "none", 512, OPUS_45),
  "opus 4.8": row("claude-opus-4-8", "none", 1024, OPUS_45),
  "opus 4.7": row("claude-opus-4-7", "none", 2048, OPUS_45),
  "opus 4.6": row("claude-opus-4-6", "none", 4096, OPUS_45),
  "opus 4.5": row("claude-opus-4-5", "none", 4096, OPUS_45),
  "opus 4.1": row("claude-opus-4-1", "none", 1024, OPUS_OLD),
  "opus 4.0": row("claude-opus-4-20250514", "none", 1024, OPUS_OLD),
  "opus 3.0": row("claude-3-opus-20240229", "none", 1024, OPUS_OLD),
  "sonnet 5.5": row("claude-sonnet-5-5", "prefix", 512, [
    priceRow([2, 2.5, 4, 0.2, 10]),
    priceRow([2, 2.5, 4, 0.1, 10], { fromMs: SONNET_55_CUT_MS }),
  ]),
  "sonnet 5.0": row("claude-sonnet-5", "none", 1024, onePrice(2, 2.5, 4, 0.2, 10)),
  "sonnet 4.6": row("claude-sonnet-4-6", "none", 1024, SONNET_OLD),
  "sonnet 4.5": row("claude-sonnet-4-5-20250929", "none", 1024, SONNET_OLD),
  "sonnet 4.0": row("claude-sonnet-4-20250514", "none", 1024, SONNET_OLD),
  "sonnet 3.7": row("claude-3-7-sonnet-20250219", "none", 1024, SONNET_OLD),
  "sonnet 3.5": row("claude-3-5-sonnet-20241022", "none", 1024, SONNET_OLD),
  "sonnet 3.0": row("claude-3-sonnet-20240229", "none", 1024, []),
  "haiku 5.5": row("claude-haiku-5-5", "prefix", 512, [
    priceRow([0.1, 0.125, 0.2, 0.01, 0.5]),
    priceRow([0.5, 0.625, 1, 0.05, 2.5], { promptTokensOver: HAIKU_55_TIER_TOKENS }),
  ]),
  "haiku 4.5": row("claude-haiku-4-5-20251001", "none", 4096, onePrice(1, 1.25, 2, 0.1, 5)),
  "haiku 3.5": row("claude-3-5-haiku-20241022", "none", 2048, onePrice(0.8, 1, 1.6, 0.08, 4)),
  "haiku 3.0": row("claude-3-haiku-20240307", "none", 2048, onePrice(0.25, 0.3, 0.5, 0.03, 1.25)),
};

function row(id: string, binding: ThinkingBinding, cacheTokensMin: number, prices: readonly PriceRow[]): ModelRow {
  const windowTokens = IS_GENERATION_5.test(id) ? WINDOW_5_TOKENS : WINDOW_TOKENS;
  return { id, facts: { ...ANTHROPIC_ASSUMED, thinkingBinding: binding, cacheTokensMin, prices, windowTokens } };
}
