import type { CacheEntry } from "../model/cache.ts";

/** Tokens of a prompt, place by place: as the provider counted them where a response told, estimated beyond. */
export interface PromptSizes {
  /** Tokens of the prompt up to and including that many items, system prompt and tools among them. */
  upTo(itemCount: number): number;
  /** Tokens of the whole prompt. */
  readonly total: number;
  /** The provider's tokens for one estimated token. */
  readonly rate: number;
}

/** What the sizes are made of: estimates in order, and what responses told. */
export interface SizeGround {
  /** Estimated tokens of tools and system prompt. */
  readonly headTokens: number;
  /** Estimated tokens of each item in the form in which it goes out. */
  readonly itemTokens: readonly number[];
  readonly entries: readonly CacheEntry[];
}

/** Fits estimates to the longest prefix that the provider counted. Without any, an estimate is taken as it is. */
export function promptSizes({ headTokens, itemTokens, entries }: SizeGround): PromptSizes {
  const sums = [headTokens];
  for (const tokens of itemTokens) sums.push((sums.at(-1) ?? 0) + tokens);
  const counted = entries.findLast(({ itemCount, tokens }) => tokens !== null && itemCount <= itemTokens.length);
  const estimated = counted === undefined ? 0 : (sums[counted.itemCount] ?? 0);
  const rate = counted?.tokens == null || estimated === 0 ? 1 : counted.tokens / estimated;
  const upTo = (itemCount: number) => rate * (sums[Math.min(itemCount, itemTokens.length)] ?? 0);
  return { upTo, total: upTo(itemTokens.length), rate };
}
