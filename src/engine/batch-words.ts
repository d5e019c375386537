import type { BatchQuote } from "./batch.ts";

/** Why a batch does not pay yet, in tokens, requests and money. */
export function quoteWords({
  freedTokens,
  rewrittenTokens,
  requestsNeeded,
  requestsExpected,
  costUsd,
}: BatchQuote): string {
  const cost = `would re-write ${tokens(rewrittenTokens)} tokens (${money(costUsd)}) to free ${tokens(freedTokens)}`;
  const pays = Number.isFinite(requestsNeeded)
    ? `pays after ${tokens(Math.ceil(requestsNeeded))} more requests`
    : "never pays";
  return `${cost}; ${pays}, ${tokens(requestsExpected)} expected`;
}

function tokens(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

function money(usd: number): string {
  return `$${usd.toFixed(4)}`;
}
