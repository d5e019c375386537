import type { Prices } from "../../model/cache.ts";
import type { InputBill } from "./cache.ts";

/** Tokens of one request and its answer by the price they have. */
export interface TokenBill extends InputBill {
  readonly outputTokens: number;
}

const TOKENS_PER_PRICE = 1_000_000;

/** What one request cost, in US dollars; null when the model has no price on record. */
export function costUsd(bill: TokenBill, prices: Prices | null): number | null {
  if (prices === null) return null;
  const total =
    bill.inputTokens * prices.input +
    bill.cacheReadTokens * prices.cacheRead +
    bill.cacheWrite5mTokens * prices.cacheWrite5m +
    bill.cacheWrite1hTokens * prices.cacheWrite1h +
    bill.outputTokens * prices.output;
  return total / TOKENS_PER_PRICE;
}
