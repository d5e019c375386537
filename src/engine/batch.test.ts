import { describe, expect, it } from "vitest";
import type { Prices } from "../model/cache.ts";
import { type BatchGround, bestBatch, pays, quoteBatches, requestsExpectedAfter, type WaitingItem } from "./batch.ts";
import { quoteWords } from "./batch-words.ts";

const PRICES: Prices = { input: 1, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1, output: 5 };
const PER_ITEM = 1_000;

/** A hundred items of a thousand tokens each behind no head, all of them held; nothing in front of a change is lost. */
function ground(changes: Partial<BatchGround> = {}): BatchGround {
  return {
    promptTokens: 100 * PER_ITEM,
    tokensBetween: (from, to) => Math.max(0, to - from) * PER_ITEM,
    heldCount: 100,
    lostBefore: () => 0,
    pricesOf: () => PRICES,
    isLongLived: false,
    requestsExpected: 22,
    attentionPrice: 0,
    ...changes,
  };
}

const waits = (index: number, freedTokens = 900): WaitingItem => ({ index, freedTokens, isStale: true });
const quotesOf = (waiting: readonly WaitingItem[], changes: Partial<BatchGround> = {}) =>
  quoteBatches(waiting, ground(changes)) ?? [];

describe("a batch", () => {
  it("costs what stands behind its earliest item and what is lost in front of it, less what it frees", () => {
    const [quote] = quotesOf([waits(60), waits(90)], { lostBefore: (index) => index * 10 });
    expect(quote).toMatchObject({ start: 60, freedTokens: 1_800, rewrittenTokens: 40_000 - 1_800 + 600 });
    expect(quote?.costUsd).toBeCloseTo((1.15 * 38_800) / 1e6, 12);
    expect(quote?.savedUsd).toBeCloseTo((0.1 * 1_800) / 1e6, 12);
  });

  it("pays strictly above its cost and a quarter of it", () => {
    // 1.25 × 1.15 × S = 0.1 × freed × requests
    const freed = 8_000;
    const rewritten = 10 * PER_ITEM - freed;
    const requests = (1.25 * 1.15 * rewritten) / (0.1 * freed);
    const [quote] = quotesOf([waits(90, freed)], { requestsExpected: requests });
    expect(quote?.requestsNeeded).toBeCloseTo(requests, 9);
    const quotesFor = (more: number) => quotesOf([waits(90, freed)], { requestsExpected: requests + more });
    expect([-0.01, 0.01].map((more) => quotesFor(more).some(pays))).toEqual([false, true]);
  });

  it("begins where it brings most, not where it is cheapest", () => {
    const waiting = [waits(10, 50), waits(80, 9_000), waits(99, 900)];
    expect(bestBatch(quotesOf(waiting))?.start).toBe(80);
    expect(bestBatch(quotesOf(waiting, { requestsExpected: 2 }))?.start).toBe(99);
    expect(bestBatch(quotesOf([waits(10, 50)]))).toBeNull();
  });

  it("costs nothing behind all that is held", () => {
    const [quote] = quotesOf([waits(70)], { heldCount: 70 });
    expect(quote).toMatchObject({ rewrittenTokens: 0, costUsd: 0, requestsNeeded: 0 });
  });

  it("costs more to write for an hour, and less to keep where reading is cheaper", () => {
    const needed = (changes: Partial<BatchGround>) =>
      Math.round(quotesOf([waits(60)], changes)[0]?.requestsNeeded ?? 0);
    const short = needed({});
    expect(needed({ isLongLived: true }) / short).toBeCloseTo(1.9 / 1.15, 1);
    expect(needed({ pricesOf: () => ({ ...PRICES, cacheRead: 0.05 }) }) / short).toBeCloseTo(24 / 11.5, 1);
  });

  it("saves the whole prompt's difference where it brings the prompt under a tier", () => {
    const tiered = (tokens: number) => (tokens > 99_500 ? { ...PRICES, cacheRead: 0.5 } : PRICES);
    const [flat] = quotesOf([waits(60)]);
    const [quote] = quotesOf([waits(60)], { pricesOf: tiered });
    expect(quote?.savedUsd).toBeCloseTo((0.5 * 100_000 - 0.1 * 99_100) / 1e6, 12);
    expect([flat, quote].map((one) => one !== undefined && pays(one))).toEqual([false, true]);
  });

  it("is worth more where stale tokens themselves have a price", () => {
    const [plain, priced] = [0, 10].map((attentionPrice) => quotesOf([waits(60)], { attentionPrice })[0]);
    expect([plain, priced].map((one) => one !== undefined && pays(one))).toEqual([false, true]);
    const lasting = { ...waits(60), isStale: false };
    expect(quotesOf([lasting], { attentionPrice: 10 })[0]?.savedUsd).toBe(plain?.savedUsd);
  });

  it("has no quote without a price on record", () => {
    expect(quoteBatches([waits(60)], ground({ pricesOf: () => null }))).toBeNull();
  });

  it("expects a conversation to go on for as long as it has, and for five requests at least", () => {
    expect([0, 5, 6, 400].map(requestsExpectedAfter)).toEqual([5, 5, 6, 400]);
  });

  it("explains itself in tokens, requests and money", () => {
    const [quote] = quotesOf([waits(57, 3_900)]);
    expect(quote === undefined ? "" : quoteWords(quote)).toBe(
      "would re-write 39,100 tokens ($0.0450) to free 3,900; pays after 145 more requests, 22 expected",
    );
    const [never] = quotesOf([waits(57, 0)]);
    expect(never === undefined ? "" : quoteWords(never)).toContain("never pays");
  });
});
