import type { Prices } from "../model/cache.ts";
import type { NetCost } from "../model/prediction.ts";

/** One item of a request as it went out, in estimated tokens. */
export interface NetItem {
  readonly sentTokens: number;
  /** Tokens by which the item is shorter than its original; below zero where it is longer. */
  readonly savedTokens: number;
  /** It is there because of Ebb alone: recalled text. */
  readonly isAdded: boolean;
}

/** What one request is weighed by. Counts are items at its head. */
export interface NetGround {
  readonly items: readonly NetItem[];
  /** Items that were read from the cache. */
  readonly readCount: number;
  /** Items that would have been read, had Ebb newly changed nothing. */
  readonly readCountWithout: number;
  /** Items up to the last breakpoint: those of them that are not read are written. */
  readonly markedCount: number;
  /** Tokens of notes that stand for no item: new ones, and those that were sent before. */
  readonly insertedTokens: number;
  readonly repeatedTokens: number;
  /** Tokens read by a request that brought recalled text and nothing else: it would not have been sent. */
  readonly recallReadTokens: number;
  /** Tokens that were to be read and were written because of Ebb, as far as the usage shows it. */
  readonly lostTokens: number;
  /** Requests within which what is written again was expected to pay; null where it was not written for that. */
  readonly payingRequests: number | null;
  /** Null where none is on record. */
  readonly prices: Prices | null;
  /** Entries are written for an hour. */
  readonly isLongLived: boolean;
}

/** Prices where none is on record, as shares of the base price of input: a saving counts least and a cost most. */
const WRITE_SHARE_5M = 1.25;
const WRITE_SHARE_1H = 2;
const READ_SHARE_MIN = 0.025;

const MILLION = 1_000_000;

/**
 * What Ebb caused minus what it saved in one request: shorter items at the price at which the originals would have gone out,
 * against tokens written again, recalled text, rounds of recall and insertions.
 */
export function netCostOf(ground: NetGround): NetCost {
  const { payingRequests } = ground;
  const shares = sharesOf(ground);
  const rewritten = rewrittenWeight(ground, shares);
  const cost = priced(rewritten + otherWeight(ground, shares), ground);
  if (payingRequests === null || rewritten === 0) return cost;
  return { ...cost, invested: { ...priced(rewritten, ground), requests: payingRequests } };
}

function priced(weightedTokens: number, { prices }: NetGround): NetCost {
  if (weightedTokens === 0) return { usd: 0, weightedTokens: 0 };
  return { usd: prices === null ? null : (weightedTokens * prices.input) / MILLION, weightedTokens };
}

interface Shares {
  readonly write: number;
  readonly read: number;
}

function sharesOf({ prices, isLongLived }: NetGround): Shares {
  if (prices === null || prices.input === 0) {
    return { write: isLongLived ? WRITE_SHARE_1H : WRITE_SHARE_5M, read: READ_SHARE_MIN };
  }
  const write = isLongLived ? prices.cacheWrite1h : prices.cacheWrite5m;
  return { write: write / prices.input, read: prices.cacheRead / prices.input };
}

/** What would have been read and is written instead. */
function rewrittenWeight(ground: NetGround, shares: Shares): number {
  const { items, readCount, readCountWithout } = ground;
  let weight = 0;
  for (const [index, { sentTokens, isAdded }] of items.entries()) {
    if (isAdded || index < readCount || index >= readCountWithout) continue;
    weight += sentTokens * (unreadShare(index, ground, shares) - shares.read);
  }
  return weight;
}

/** Everything else: below zero where it saves. */
function otherWeight(ground: NetGround, shares: Shares): number {
  const { write, read } = shares;
  let weight = ground.insertedTokens * write + (ground.repeatedTokens + ground.recallReadTokens) * read;
  weight += ground.lostTokens * (write - read);
  for (const [index, { sentTokens, savedTokens, isAdded }] of ground.items.entries()) {
    const unread = unreadShare(index, ground, shares);
    weight -= savedTokens * (index < ground.readCountWithout ? read : unread);
    if (isAdded) weight += sentTokens * (index < ground.readCount ? read : unread);
  }
  return weight;
}

function unreadShare(index: number, { markedCount }: NetGround, { write }: Shares): number {
  return index < markedCount ? write : 1;
}
