import type { Investment, NetCost } from "../model/prediction.ts";

/** What Ebb cost in a lineage's last requests that a provider answered. */
export interface NetCosts {
  /** Oldest first; what was invested is charged in equal parts to the requests that are to bring it back. */
  readonly charged: readonly NetCost[];
  /** Investments that are not charged in full yet, with the requests that still are to be charged. */
  readonly open: readonly OpenInvestment[];
}

interface OpenInvestment extends Investment {
  readonly left: number;
}

/** Nothing was measured yet. */
export const NO_NET_COSTS: NetCosts = { charged: [], open: [] };

/** Requests over which a lineage must not have cost more with Ebb than without. */
export const NET_GUARD_REQUESTS = 50;

/** Investments charged at once; what is invested beyond counts as spent. */
const OPEN_MAX = 64;

/** Costs after one more request; what lies further back is forgotten. */
export function withNetCost({ charged, open }: NetCosts, { invested, ...cost }: NetCost): NetCosts {
  const isSpread = invested !== undefined && open.length < OPEN_MAX;
  const due = isSpread ? [...open, { ...invested, left: invested.requests }] : open;
  const parts = due.map((one) => part(one, 1 / one.requests));
  const rest = isSpread ? [cost, part(invested, -1), ...parts] : [cost, ...parts];
  return {
    charged: [...charged, total(rest)].slice(-NET_GUARD_REQUESTS),
    open: due.map((one) => ({ ...one, left: one.left - 1 })).filter(({ left }) => left > 0),
  };
}

/**
 * True where Ebb cost more than it saved over the last requests, in money where every price is known and in weighted tokens
 * where not: then nothing new leaves by rule.
 */
export function isNetGuarded({ charged }: NetCosts): boolean {
  if (charged.length < NET_GUARD_REQUESTS) return false;
  const { usd, weightedTokens } = total(charged);
  return (usd ?? weightedTokens) > 0;
}

function part({ usd, weightedTokens }: NetCost, share: number): NetCost {
  return { usd: usd === null ? null : usd * share, weightedTokens: weightedTokens * share };
}

/** Unknown as soon as one of them is. */
function total(costs: readonly NetCost[]): NetCost {
  let usd: number | null = 0;
  let weightedTokens = 0;
  for (const cost of costs) {
    usd = usd === null || cost.usd === null ? null : usd + cost.usd;
    weightedTokens += cost.weightedTokens;
  }
  return { usd, weightedTokens };
}
