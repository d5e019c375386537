import type { NetCost } from "../model/prediction.ts";

/** Net costs of a lineage's last requests that a provider answered, oldest first. */
export type NetCosts = readonly NetCost[];

/** Nothing was measured yet. */
export const NO_NET_COSTS: NetCosts = [];

/** Requests over which a lineage must not have cost more with Ebb than without. */
export const NET_GUARD_REQUESTS = 50;

/** Costs after one more request; what lies further back is forgotten. */
export function withNetCost(before: NetCosts, cost: NetCost): NetCosts {
  return [...before, cost].slice(-NET_GUARD_REQUESTS);
}

/**
 * True where Ebb cost more than it saved over the last requests, in money where every price is known and in weighted tokens
 * where not: then nothing new leaves by rule.
 */
export function isNetGuarded(costs: NetCosts): boolean {
  return costs.length === NET_GUARD_REQUESTS && (usdOf(costs) ?? weightedOf(costs)) > 0;
}

function usdOf(costs: NetCosts): number | null {
  let sum = 0;
  for (const { usd } of costs) {
    if (usd === null) return null;
    sum += usd;
  }
  return sum;
}

function weightedOf(costs: NetCosts): number {
  return costs.reduce((sum, { weightedTokens }) => sum + weightedTokens, 0);
}
