import type { CachePlace, ModelFacts } from "../model/cache.ts";
import type { Item } from "../model/item.ts";
import type { Breakpoint, Transcript } from "../model/transcript.ts";
import { countBeforeSpoken } from "./forgotten.ts";

/**
 * Blocks of the messages up to and including each item, as the model has them before it: without thinking that it forgets. The first
 * number stands before all of them.
 */
export function blockCounts(
  transcript: Transcript,
  { keepsThinking }: Pick<ModelFacts, "keepsThinking">,
): readonly number[] {
  const forgottenCount = keepsThinking ? 0 : countBeforeSpoken(transcript);
  const { items } = transcript;
  const counts = new Array<number>(items.length + 1).fill(0);
  let count = 0;
  let before: Item | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const isForgotten = item?.kind === "thinking" && index < forgottenCount;
    if (!isForgotten && !isSameBlock(before, item)) count += 1;
    counts[index + 1] = count;
    before = item;
  }
  return counts;
}

/** True for parts of one block. */
export function isSameBlock(left: Item | undefined, right: Item | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left.messageIndex === right.messageIndex && left.blockIndex === right.blockIndex;
}

/** Breakpoints as places of a cache. */
export function placesOf(breakpoints: readonly Breakpoint[], counts: readonly number[]): readonly CachePlace[] {
  return breakpoints.map(({ itemCount, ttlMs }) => ({ itemCount, blockCount: counts[itemCount] ?? 0, ttlMs }));
}
