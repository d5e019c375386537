import type { ModelFacts, PriceRow, Prices } from "../model/cache.ts";

/** The prices of a prompt of that many tokens at that time; null where none is on record. */
export function pricesAt({ prices }: Pick<ModelFacts, "prices">, promptTokens: number, atMs: number): Prices | null {
  return prices.findLast((row) => holds(row, promptTokens, atMs))?.prices ?? null;
}

function holds({ fromMs, promptTokensOver }: PriceRow, promptTokens: number, atMs: number): boolean {
  return fromMs <= atMs && (promptTokensOver === 0 || promptTokens > promptTokensOver);
}
