import type { Prices } from "../model/cache.ts";

/** One item that waits, by its place among the items. */
export interface WaitingItem {
  readonly index: number;
  /** Tokens its marker saves. */
  readonly freedTokens: number;
  /** It is a read that no longer matches its file, or was read again: it competes with the task. */
  readonly isStale: boolean;
  /** No batch begins with it. */
  readonly isInner?: boolean;
}

/** What a batch is priced with. Tokens are the provider's. */
export interface BatchGround {
  /** Tokens of the whole prompt as it would go out without the batch. */
  readonly promptTokens: number;
  /** Tokens from one place to another, in item counts. */
  tokensBetween(from: number, to: number): number;
  /** Items at the head that the provider may hold: from a change on they are written again. */
  readonly heldCount: number;
  /** Tokens in front of the item at this index that are written again when it changes, although they stay as they are. */
  lostBefore(index: number): number;
  /** Prices of a prompt of that many tokens; null where none is on record. */
  pricesOf(promptTokens: number): Prices | null;
  /** Entries are written for an hour. */
  readonly isLongLived: boolean;
  /** Requests that are expected to follow. */
  readonly requestsExpected: number;
  /** US dollars that a million stale tokens are worth, each time they are not sent. */
  readonly attentionPrice: number;
}

/** What releasing everything that waits from a place on would cost and save. */
export interface BatchQuote {
  /** Index of the earliest item of the batch. */
  readonly start: number;
  readonly freedTokens: number;
  /** Tokens that would be read from the cache and are written to it instead. */
  readonly rewrittenTokens: number;
  readonly costUsd: number;
  /** What each later request saves. */
  readonly savedUsd: number;
  readonly requestsExpected: number;
  /** Requests after which it has paid, the margin included; infinite where it never does. */
  readonly requestsNeeded: number;
}

/** Share of its cost that a batch must bring beyond it. */
const MARGIN = 0.25;
const REQUESTS_EXPECTED_MIN = 5;
const MILLION = 1_000_000;

/** A conversation is expected to go on for as long as it has. */
export function requestsExpectedAfter(requestsSoFar: number): number {
  return Math.max(REQUESTS_EXPECTED_MIN, requestsSoFar);
}

/**
 * Quotes for every place at which one batch could begin; `waiting` is in the order of the items. Null where no price is on
 * record.
 */
export function quoteBatches(waiting: readonly WaitingItem[], ground: BatchGround): readonly BatchQuote[] | null {
  const quotes: BatchQuote[] = [];
  let freed = 0;
  let freedStale = 0;
  let freedHeld = 0;
  for (const { index, freedTokens, isStale } of waiting.toReversed()) {
    freed += freedTokens;
    if (isStale) freedStale += freedTokens;
    if (index < ground.heldCount) freedHeld += freedTokens;
    const quote = quoteFrom(index, { freed, freedStale, freedHeld }, ground);
    if (quote === null) return null;
    quotes.unshift(quote);
  }
  return quotes;
}

/** The batch that brings most beyond its cost and margin; null where none brings anything. */
export function bestBatch(quotes: readonly BatchQuote[]): BatchQuote | null {
  let best: BatchQuote | null = null;
  for (const quote of quotes) {
    if (pays(quote) && (best === null || gainOf(quote) > gainOf(best))) best = quote;
  }
  return best;
}

/** True where a batch brings more than its cost and margin. */
export function pays(quote: BatchQuote): boolean {
  return gainOf(quote) > 0;
}

/** What a batch brings beyond its cost and margin, in US dollars. */
export function gainOf({ savedUsd, requestsExpected, costUsd }: BatchQuote): number {
  return savedUsd * requestsExpected - (1 + MARGIN) * costUsd;
}

interface Freed {
  readonly freed: number;
  readonly freedStale: number;
  readonly freedHeld: number;
}

function quoteFrom(start: number, { freed, freedStale, freedHeld }: Freed, ground: BatchGround): BatchQuote | null {
  const { promptTokens, heldCount, isLongLived, requestsExpected, attentionPrice } = ground;
  const before = ground.pricesOf(promptTokens);
  const after = ground.pricesOf(promptTokens - freed);
  if (before === null || after === null) return null;
  const behind = Math.max(0, ground.tokensBetween(start, Math.max(start, heldCount)) - freedHeld);
  const rewrittenTokens = ground.lostBefore(start) + behind;
  const write = isLongLived ? after.cacheWrite1h : after.cacheWrite5m;
  const costUsd = ((write - after.cacheRead) * rewrittenTokens) / MILLION;
  const spared = before.cacheRead * promptTokens - after.cacheRead * (promptTokens - freed);
  const savedUsd = (spared + attentionPrice * freedStale) / MILLION;
  const requestsNeeded = savedUsd > 0 ? ((1 + MARGIN) * costUsd) / savedUsd : Number.POSITIVE_INFINITY;
  return { start, freedTokens: freed, rewrittenTokens, costUsd, savedUsd, requestsExpected, requestsNeeded };
}
