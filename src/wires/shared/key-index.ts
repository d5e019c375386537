import type { Item, ItemKey } from "../../model/item.ts";

/** Where each key of a transcript stands. What a transcript shares with an earlier one, their indexes share too. */
export interface KeyIndex {
  /** Keys from index `sharedCount` on. */
  readonly own: Map<ItemKey, number>;
  /** Knows the first `sharedCount` keys; what it knows beyond them is none of this transcript. */
  readonly before: KeyIndex | null;
  readonly sharedCount: number;
  readonly depth: number;
}

/** Layers are looked through one by one, so they are few. */
const DEPTH_MAX = 8;

/** An index that goes on behind the first `sharedCount` of `items`, which `before` knows. */
export function continueIndex(before: KeyIndex | null, items: readonly Item[], sharedCount: number): KeyIndex {
  if (before !== null && before.depth < DEPTH_MAX && sharedCount > 0) {
    return { own: new Map(), before, sharedCount, depth: before.depth + 1 };
  }
  const own = new Map<ItemKey, number>();
  for (let index = 0; index < sharedCount; index++) own.set(items[index]?.key ?? "", index);
  return { own, before: null, sharedCount: 0, depth: 0 };
}

/** Index of the item with this key; -1 without one. */
export function indexOfKey(index: KeyIndex, key: ItemKey): number {
  let limit = Number.POSITIVE_INFINITY;
  for (let layer: KeyIndex | null = index; layer !== null; layer = layer.before) {
    const found = layer.own.get(key);
    if (found !== undefined && found < limit) return found;
    limit = Math.min(limit, layer.sharedCount);
  }
  return -1;
}
