import type { CachePlace } from "../model/cache.ts";
import type { Item } from "../model/item.ts";
import type { Breakpoint } from "../model/transcript.ts";

/** Blocks of the messages up to and including each item; the first number stands before all of them. */
export function blockCounts(items: readonly Item[]): readonly number[] {
  const counts = [0];
  let before: Item | null = null;
  for (const item of items) {
    const isSame = before?.messageIndex === item.messageIndex && before.blockIndex === item.blockIndex;
    counts.push((counts.at(-1) ?? 0) + (isSame ? 0 : 1));
    before = item;
  }
  return counts;
}

/** Breakpoints as places of a cache. */
export function placesOf(breakpoints: readonly Breakpoint[], items: readonly Item[]): readonly CachePlace[] {
  if (breakpoints.length === 0) return [];
  const blocks = blockCounts(items);
  return breakpoints.map(({ itemCount, ttlMs }) => ({ itemCount, blockCount: blocks[itemCount] ?? 0, ttlMs }));
}
