import type { CacheEntry, CountedPrompt } from "../model/cache.ts";

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
  readonly counted?: CountedPrompt | null;
}

/** Fits estimates to the longest prefix that the provider counted. Without any, an estimate is taken as it is. */
export function promptSizes({ headTokens, itemTokens, entries, counted = null }: SizeGround): PromptSizes {
  const sums = [headTokens];
  for (const tokens of itemTokens) sums.push((sums.at(-1) ?? 0) + tokens);
  const known = longestKnown([...entries, counted], itemTokens.length);
  const estimated = known === null ? 0 : (sums[known.itemCount] ?? 0);
  const rate = known === null || estimated === 0 ? 1 : known.tokens / estimated;
  const upTo = (itemCount: number) => rate * (sums[Math.min(itemCount, itemTokens.length)] ?? 0);
  return { upTo, total: upTo(itemTokens.length), rate };
}

function longestKnown(
  told: readonly (CacheEntry | CountedPrompt | null)[],
  itemCountMax: number,
): CountedPrompt | null {
  let longest: CountedPrompt | null = null;
  for (const one of told) {
    if (one === null || one.tokens === null || one.itemCount > itemCountMax) continue;
    if (longest === null || one.itemCount >= longest.itemCount)
      longest = { itemCount: one.itemCount, tokens: one.tokens };
  }
  return longest;
}
