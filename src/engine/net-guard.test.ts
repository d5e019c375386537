import { describe, expect, it } from "vitest";
import type { NetCost } from "../model/prediction.ts";
import { isNetGuarded, NET_GUARD_REQUESTS, NO_NET_COSTS, withNetCost } from "./net-guard.ts";

const dear: NetCost = { usd: 0.01, weightedTokens: 100 };
const cheap: NetCost = { usd: -0.02, weightedTokens: -90 };
const unpriced: NetCost = { usd: null, weightedTokens: 5 };

function costs(count: number, cost: NetCost, before = NO_NET_COSTS) {
  let after = before;
  for (let index = 0; index < count; index++) after = withNetCost(after, cost);
  return after;
}

describe("the net guard", () => {
  it("stands once Ebb cost more than it saved over 50 requests, and not before there are so many", () => {
    expect(isNetGuarded(costs(NET_GUARD_REQUESTS - 1, dear))).toBe(false);
    expect(isNetGuarded(costs(NET_GUARD_REQUESTS, dear))).toBe(true);
    expect(isNetGuarded(costs(NET_GUARD_REQUESTS, { usd: 0, weightedTokens: 0 }))).toBe(false);
    expect(isNetGuarded(costs(NET_GUARD_REQUESTS, cheap))).toBe(false);
  });

  it("falls when what left pays after all: what lies further back is forgotten", () => {
    const guarded = costs(NET_GUARD_REQUESTS, dear);
    expect(isNetGuarded(costs(16, cheap, guarded))).toBe(true);
    expect(isNetGuarded(costs(17, cheap, guarded))).toBe(false);
    expect(costs(200, cheap, guarded)).toHaveLength(NET_GUARD_REQUESTS);
  });

  it("goes by weighted tokens as soon as one price is unknown", () => {
    const mixed = costs(1, unpriced, costs(NET_GUARD_REQUESTS, { usd: -1, weightedTokens: 1 }));
    expect(isNetGuarded(mixed)).toBe(true);
    expect(isNetGuarded(costs(1, { usd: null, weightedTokens: -900 }, costs(NET_GUARD_REQUESTS, dear)))).toBe(true);
    expect(isNetGuarded(costs(1, { usd: null, weightedTokens: -9_000 }, costs(NET_GUARD_REQUESTS, dear)))).toBe(false);
  });
});
