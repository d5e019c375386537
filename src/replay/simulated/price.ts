import { pricesAt } from "../../engine/price.ts";
import type { ModelFacts, Prices } from "../../model/cache.ts";
import type { InputBill } from "./cache.ts";

/** Tokens of one request and its answer by the price they have. */
export interface TokenBill extends InputBill {
  readonly outputTokens: number;
}

const TOKENS_PER_PRICE = 1_000_000;

/** What one request cost at the prices of its own length and time, in US dollars; null where none is on record. */
export function costAt(bill: TokenBill, facts: Pick<ModelFacts, "prices">, atMs: number): number | null {
  return costUsd(bill, pricesAt(facts, promptTokensOf(bill), atMs));
}

/** Tokens of the whole prompt, however each was paid. */
export function promptTokensOf(bill: InputBill): number {
  return bill.inputTokens + bill.cacheReadTokens + bill.cacheWrite5mTokens + bill.cacheWrite1hTokens;
}

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
