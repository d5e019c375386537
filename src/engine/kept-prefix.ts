import type { CacheEntry } from "../model/cache.ts";
import type { Edit } from "../model/edit.ts";
import type { View } from "../model/view.ts";
import { isSameBlock } from "./block-counts.ts";
import { lookbackOf } from "./cache-lifetime.ts";

/** A breakpoint of Ebb on an item's block. */
export type Mark = Extract<Edit, { kind: "breakpoint" }>;

/** What is still read in front of a change, and the breakpoint that this takes; null where the client's own suffice. */
export interface KeptPrefix {
  readonly itemCount: number;
  readonly breakpoint: Mark | null;
}

/** What can be kept in front of a change at depth, in one request. */
export interface PrefixKeeping {
  /** What is read in front of the item at this index when it changes. */
  before(index: number): KeptPrefix;
  /** What a later request finds kept in front of the item at this index if this one marks it; null where no mark can be put. */
  markBefore(index: number): KeptPrefix | null;
}

/** Entries looked at from the longest on. */
const ENTRIES_TRIED = 8;

/** Keeps with the breakpoints the request has, and one of Ebb's where it has room for it and `mayMark`. */
export function prefixKeeping(view: View, mayMark: boolean): PrefixKeeping {
  const { items, breakpoints } = view.transcript;
  const { entries, blockCounts: blocks } = view.cache;
  const blockOf = (itemCount: number) => blocks[itemCount] ?? 0;
  const hasRoom = mayMark && hasFreeBreakpoint(view);
  const lookback = lookbackOf(view.model);
  const { kind } = view.model.cache;

  function isReached(entry: CacheEntry): boolean {
    // Whole prompts are found without a breakpoint.
    if (kind !== "breakpoints") return true;
    return breakpoints.some(({ itemCount }) => {
      return itemCount >= entry.itemCount && blockOf(itemCount) - entry.blockCount < lookback;
    });
  }

  /** On the last block in front of `index`, and of block `blockCountEnd`, that can carry one and has at least `itemCountMin` items. */
  function markWithin(index: number, itemCountMin: number, blockCountEnd: number): KeptPrefix | null {
    if (!hasRoom) return null;
    for (let at = Math.min(index, lastBelow(blocks, blockCountEnd)); at >= Math.max(1, itemCountMin); at--) {
      const item = items[at - 1];
      const isBlockEnd = ![items[at], items[index]].some((other) => isSameBlock(item, other));
      if (item === undefined || !isBlockEnd || !view.canMark(item)) continue;
      return { itemCount: at, breakpoint: { kind: "breakpoint", itemKey: item.key, ttlMs: ttlAt(at, view) } };
    }
    return null;
  }

  return {
    before(index) {
      // What a provider remembers token by token stays whole up to the change.
      if (kind === "prefix") return { itemCount: index, breakpoint: null };
      const usable = entries.filter(({ itemCount }) => itemCount <= index).slice(-ENTRIES_TRIED);
      for (const entry of usable.toReversed()) {
        if (isReached(entry)) return { itemCount: entry.itemCount, breakpoint: null };
        const mark = markWithin(index, entry.itemCount, entry.blockCount + lookback);
        if (mark !== null) return { itemCount: entry.itemCount, breakpoint: mark.breakpoint };
      }
      return { itemCount: 0, breakpoint: null };
    },
    markBefore: (index) => markWithin(index, index - lookback, Number.POSITIVE_INFINITY),
  };
}

/** The last place with fewer blocks up to it; `counts` never fall. */
function lastBelow(counts: readonly number[], end: number): number {
  let low = 0;
  let high = counts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((counts[middle] ?? 0) < end) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function hasFreeBreakpoint({ model, transcript }: View): boolean {
  if (model.cache.kind !== "breakpoints") return false;
  return transcript.header.headBreakpoints + transcript.breakpoints.length < model.cache.breakpointsMax;
}

/**
 * Longer lifetimes must stand before shorter ones, so it is that of the next one behind, or of the last one in front; the shortest where
 * only tools and system prompt have any, in whatever order.
 */
function ttlAt(itemCount: number, { transcript: { breakpoints }, model }: View): number {
  const next = breakpoints.find((one) => one.itemCount > itemCount) ?? breakpoints.at(-1);
  const shortest = model.cache.kind === "breakpoints" ? Math.min(...model.cache.ttlsMs) : model.ttlDefaultMs;
  return next?.ttlMs ?? shortest;
}
