import type { PriceRow, Prices, ThinkingBinding } from "../model/cache.ts";

/** One model of the table. `id` is the id a request names it by. */
export interface ModelRow {
  readonly id: string;
  readonly binding: ThinkingBinding;
  readonly cacheTokensMin: number;
  /** Empty where no price is on record. */
  readonly prices: readonly PriceRow[];
  readonly windowTokens: number;
}

/** 2026-10-07, when the read price of Sonnet 5.5 halved. */
const SONNET_55_CUT_MS = 1_791_331_200_000;
const IS_GENERATION_5 = /^claude-[a-z]+-5/;
const WINDOW_5_TOKENS = 1_000_000;
/** The smaller one where a model may have either: it was never refused less. */
const WINDOW_TOKENS = 200_000;
const HAIKU_55_TIER_TOKENS = 100_000;

const OPUS_45 = flat([5, 6.25, 10, 0.5, 25]);
const OPUS_OLD = flat([15, 18.75, 30, 1.5, 75]);
const SONNET_OLD = flat([3, 3.75, 6, 0.3, 15]);
const LARGE_50 = flat([10, 12.5, 20, 1, 50]);
const LARGE_51 = flat([10, 12.5, 20, 0.25, 50]);

/**
 * Models on record by `family version`. Binding is `prefix` for every model that may run the prefix check; a model that
 * is absent counts as unknown. Source: the provider's pricing, prompt caching and preserved thinking pages.
 */
export const ANTHROPIC_MODELS: Readonly<Record<string, ModelRow>> = {
  "fable 5.2": row("claude-fable-5-2", "prefix", 512, []),
  "fable 5.1": row("claude-fable-5-1", "prefix", 512, LARGE_51),
  "fable 5.0": row("claude-fable-5", "none", 512, LARGE_50),
  "mythos 5.2": row("claude-mythos-5-2", "prefix", 512, []),
  "mythos 5.1": row("claude-mythos-5-1", "prefix", 512, LARGE_51),
  "mythos 5.0": row("claude-mythos-5", "none", 512, LARGE_50),
  "mythos preview": row("claude-mythos-preview", "prefix", 2048, []),
  "opus 5.5": row("claude-opus-5-5", "prefix", 512, flat([4, 5, 8, 0.2, 20])),
  "opus 5.0": row("claude-opus-5", "none", 512, OPUS_45),
  "opus 4.8": row("claude-opus-4-8", "none", 1024, OPUS_45),
  "opus 4.7": row("claude-opus-4-7", "none", 2048, OPUS_45),
  "opus 4.6": row("claude-opus-4-6", "none", 4096, OPUS_45),
  "opus 4.5": row("claude-opus-4-5", "none", 4096, OPUS_45),
  "opus 4.1": row("claude-opus-4-1", "none", 1024, OPUS_OLD),
  "opus 4.0": row("claude-opus-4-20250514", "none", 1024, OPUS_OLD),
  "opus 3.0": row("claude-3-opus-20240229", "none", 1024, OPUS_OLD),
  "sonnet 5.5": row("claude-sonnet-5-5", "prefix", 512, [
    { fromMs: 0, promptTokensOver: 0, prices: prices([2, 2.5, 4, 0.2, 10]) },
    { fromMs: SONNET_55_CUT_MS, promptTokensOver: 0, prices: prices([2, 2.5, 4, 0.1, 10]) },
  ]),
  "sonnet 5.0": row("claude-sonnet-5", "none", 1024, flat([2, 2.5, 4, 0.2, 10])),
  "sonnet 4.6": row("claude-sonnet-4-6", "none", 1024, SONNET_OLD),
  "sonnet 4.5": row("claude-sonnet-4-5-20250929", "none", 1024, SONNET_OLD),
  "sonnet 4.0": row("claude-sonnet-4-20250514", "none", 1024, SONNET_OLD),
  "sonnet 3.7": row("claude-3-7-sonnet-20250219", "none", 1024, SONNET_OLD),
  "sonnet 3.5": row("claude-3-5-sonnet-20241022", "none", 1024, SONNET_OLD),
  "sonnet 3.0": row("claude-3-sonnet-20240229", "none", 1024, []),
  "haiku 5.5": row("claude-haiku-5-5", "prefix", 512, [
    { fromMs: 0, promptTokensOver: 0, prices: prices([0.1, 0.125, 0.2, 0.01, 0.5]) },
    { fromMs: 0, promptTokensOver: HAIKU_55_TIER_TOKENS, prices: prices([0.5, 0.625, 1, 0.05, 2.5]) },
  ]),
  "haiku 4.5": row("claude-haiku-4-5-20251001", "none", 4096, flat([1, 1.25, 2, 0.1, 5])),
  "haiku 3.5": row("claude-3-5-haiku-20241022", "none", 2048, flat([0.8, 1, 1.6, 0.08, 4])),
  "haiku 3.0": row("claude-3-haiku-20240307", "none", 2048, flat([0.25, 0.3, 0.5, 0.03, 1.25])),
};

/** Models that take messages of role `system` between the others. */
export const SYSTEM_MESSAGE_MODELS: ReadonlySet<string> = new Set([
  "fable 5.2",
  "fable 5.1",
  "fable 5.0",
  "mythos 5.2",
  "mythos 5.1",
  "mythos 5.0",
  "opus 5.5",
  "opus 5.0",
  "opus 4.8",
  "sonnet 5.5",
  "haiku 5.5",
]);

/** Models that forget the thinking of earlier turns as soon as the user speaks again. */
export const FORGETTING_MODELS: ReadonlySet<string> = new Set([
  "opus 4.1",
  "opus 4.0",
  "opus 3.0",
  "sonnet 4.5",
  "sonnet 4.0",
  "sonnet 3.7",
  "sonnet 3.5",
  "sonnet 3.0",
  "haiku 4.5",
  "haiku 3.5",
  "haiku 3.0",
]);

function row(id: string, binding: ThinkingBinding, cacheTokensMin: number, priceRows: readonly PriceRow[]): ModelRow {
  const windowTokens = IS_GENERATION_5.test(id) ? WINDOW_5_TOKENS : WINDOW_TOKENS;
  return { id, binding, cacheTokensMin, prices: priceRows, windowTokens };
}

type PriceFigures = readonly [input: number, write5m: number, write1h: number, read: number, output: number];

function flat(figures: PriceFigures): readonly PriceRow[] {
  return [{ fromMs: 0, promptTokensOver: 0, prices: prices(figures) }];
}

function prices([input, cacheWrite5m, cacheWrite1h, cacheRead, output]: PriceFigures): Prices {
  return { input, cacheWrite5m, cacheWrite1h, cacheRead, output };
}
