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
    expect(costs(200, cheap, guarded).charged).toHaveLength(NET_GUARD_REQUESTS);
  });

  it("goes by weighted tokens as soon as one price is unknown", () => {
    const mixed = costs(1, unpriced, costs(NET_GUARD_REQUESTS, { usd: -1, weightedTokens: 1 }));
    expect(isNetGuarded(mixed)).toBe(true);
    expect(isNetGuarded(costs(1, { usd: null, weightedTokens: -900 }, costs(NET_GUARD_REQUESTS, dear)))).toBe(true);
    expect(isNetGuarded(costs(1, { usd: null, weightedTokens: -9_000 }, costs(NET_GUARD_REQUESTS, dear)))).toBe(false);
  });

  it("charges what was invested to the requests that are to bring it back, and judges whether they do", () => {
    const invested = { usd: 1, weightedTokens: 1_000, requests: 100 };
    const batch: NetCost = { usd: 1, weightedTokens: 1_000, invested };
    const paying: NetCost = { usd: -0.011, weightedTokens: -11 };
    const failing: NetCost = { usd: -0.009, weightedTokens: -9 };
    const before = costs(NET_GUARD_REQUESTS, { usd: 0, weightedTokens: 0 });
    expect(isNetGuarded(costs(40, paying, costs(1, batch, before)))).toBe(false);
    expect(isNetGuarded(costs(40, failing, costs(1, batch, before)))).toBe(true);
    const done = costs(150, failing, costs(1, batch, before));
    expect(done.open).toEqual([]);
    expect(isNetGuarded(done)).toBe(false);
  });

  it("charges at once what is invested while much is still open", () => {
    const invested = { usd: 1, weightedTokens: 1_000, requests: 1_000 };
    const full = costs(64, { usd: 1, weightedTokens: 1_000, invested });
    expect(full.charged.at(-1)?.usd).toBeCloseTo(64 / 1_000);
    expect(costs(1, { usd: 1, weightedTokens: 1_000, invested }, full).charged.at(-1)?.usd).toBeCloseTo(1.064);
  });
});
