import type { PriceRow, Prices } from "../model/cache.ts";

/** US dollars per million tokens. */
export type PriceFigures = readonly [input: number, write5m: number, write1h: number, read: number, output: number];

/** From when and from which prompt length on prices hold; what is left out is always. */
export interface PriceBorders {
  readonly fromMs?: number;
  readonly promptTokensOver?: number;
}

/** Prices that hold from the borders on. */
export function priceRow(figures: PriceFigures, { fromMs = 0, promptTokensOver = 0 }: PriceBorders = {}): PriceRow {
  return { fromMs, promptTokensOver, prices: pricesOf(figures) };
}

/** The only prices on record. */
export function onePrice(...figures: PriceFigures): readonly PriceRow[] {
  return [priceRow(figures)];
}

/** Prices of a provider that writes its cache at the price of input. */
export function freeWrites(input: number, read: number, output: number, borders?: PriceBorders): PriceRow {
  return priceRow([input, input, input, read, output], borders);
}

function pricesOf([input, cacheWrite5m, cacheWrite1h, cacheRead, output]: PriceFigures): Prices {
  return { input, cacheWrite5m, cacheWrite1h, cacheRead, output };
}
