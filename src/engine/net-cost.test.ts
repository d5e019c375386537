import { describe, expect, it } from "vitest";
import { type NetGround, netCostOf } from "./net-cost.ts";

const PRICES = { input: 2, cacheWrite5m: 2.5, cacheWrite1h: 4, cacheRead: 0.2, output: 10 };
const plain = { sentTokens: 1_000, savedTokens: 0, isAdded: false };
const gone = { sentTokens: 50, savedTokens: 4_000, isAdded: false };

/** Ten items, all but the last two read; the last breakpoint is on the ninth. */
const ground: NetGround = {
  items: Array.from({ length: 10 }, () => plain),
  readCount: 8,
  readCountWithout: 8,
  markedCount: 9,
  insertedTokens: 0,
  repeatedTokens: 0,
  recallReadTokens: 0,
  lostTokens: 0,
  payingRequests: null,
  prices: PRICES,
  isLongLived: false,
};

function withItem(index: number, item: NetGround["items"][number], rest: Partial<NetGround> = {}) {
  return netCostOf({ ...ground, items: ground.items.with(index, item), ...rest });
}

describe("what a request cost beyond one without Ebb", () => {
  it("is nothing where nothing is changed, whatever is known of prices", () => {
    expect(netCostOf(ground)).toEqual({ usd: 0, weightedTokens: 0 });
    expect(netCostOf({ ...ground, prices: null })).toEqual({ usd: 0, weightedTokens: 0 });
  });

  it.each([
    ["read", 3, 0.1],
    ["written", 8, 1.25],
    ["neither", 9, 1],
  ] as const)("is less by what is not sent, at its price where it would have been %s", (_, index, share) => {
    const cost = withItem(index, gone);
    expect(cost.weightedTokens).toBeCloseTo(-4_000 * share);
    expect(cost.usd).toBeCloseTo((-4_000 * share * 2) / 1e6);
  });

  it("is more by what is written again behind a change, and what left is saved at the price of a read", () => {
    const cost = withItem(5, gone, { readCount: 5 });
    expect(cost.weightedTokens).toBeCloseTo(-4_000 * 0.1 + (50 + 2 * 1_000) * (1.25 - 0.1));
  });

  it("tells apart what is written again because that was expected to pay", () => {
    const cost = withItem(5, gone, { readCount: 5, payingRequests: 30 });
    const { weightedTokens, invested } = withItem(5, gone, { readCount: 5 });
    expect(invested).toBeUndefined();
    expect(cost.weightedTokens).toBe(weightedTokens);
    const rewritten = (50 + 2 * 1_000) * (1.25 - 0.1);
    expect(cost.invested).toEqual({
      usd: expect.closeTo((rewritten * 2) / 1e6),
      weightedTokens: expect.closeTo(rewritten),
      requests: 30,
    });
    expect(withItem(3, gone, { payingRequests: 30 }).invested).toBeUndefined();
  });

  it("has nothing written again where the client broke the prefix itself", () => {
    expect(withItem(5, gone, { readCount: 0, readCountWithout: 0 }).weightedTokens).toBeCloseTo(-4_000 * 1.25);
  });

  it("is more by recalled text, by the round that brought it, by notes, and by what did not hold", () => {
    const added = { sentTokens: 600, savedTokens: 0, isAdded: true };
    expect(withItem(9, added).weightedTokens).toBeCloseTo(600);
    expect(withItem(4, added).weightedTokens).toBeCloseTo(60);
    expect(netCostOf({ ...ground, recallReadTokens: 8_000 }).weightedTokens).toBeCloseTo(800);
    expect(netCostOf({ ...ground, insertedTokens: 40 }).weightedTokens).toBeCloseTo(50);
    expect(netCostOf({ ...ground, repeatedTokens: 40 }).weightedTokens).toBeCloseTo(4);
    expect(netCostOf({ ...ground, lostTokens: 1_000 }).weightedTokens).toBeCloseTo(1_150);
  });

  it("goes by the price of the lifetime", () => {
    expect(withItem(8, gone, { isLongLived: true }).weightedTokens).toBeCloseTo(-8_000);
  });

  it("is unknown in money without a price, and weighed so that a saving counts least", () => {
    const cost = withItem(3, gone, { prices: null });
    expect(cost.usd).toBeNull();
    expect(cost.weightedTokens).toBeCloseTo(-100);
    expect(netCostOf({ ...ground, lostTokens: 1_000, prices: null }).weightedTokens).toBeCloseTo(1_225);
  });
});
