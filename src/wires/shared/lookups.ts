import { assert } from "../../lib/assert.ts";
import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { decodeWtf8 } from "../../lib/wtf8.ts";
import type { Item, ItemKey } from "../../model/item.ts";
import { indexOfKey } from "./key-index.ts";
import { type Original, readOrigin } from "./origin.ts";
import { entryOfItem, type Placement } from "./placement.ts";
import type { Seed, Slot } from "./seed.ts";

/** An item in its entry; all spans count from `entryStart`. */
export interface ItemPlace {
  readonly item: Item;
  readonly entryIndex: number;
  readonly entryStart: number;
  /** Null where the item has nothing to replace. */
  readonly slot: Slot | null;
}

/** What a body's items are made of, decoded on demand; decoded texts are kept for as long as the look-ups live. */
export interface Lookups {
  originalOf(item: Item): Uint8Array;
  textOf(item: Item): string;
  /** Null where the item is not in the body. */
  placeOf(key: ItemKey): ItemPlace | null;
}

interface LookedUp {
  readonly text: JsonBytes;
  readonly placement: Placement;
  /** Where each entry stands. */
  readonly spans: readonly Span[];
  /** Originals made while reading. */
  readonly originals: ReadonlyMap<Seed, Original>;
}

/** Look-ups in a body that was read. */
export function createLookups({ text, placement, spans, originals }: LookedUp): Lookups {
  const { items, seeds, index } = placement;
  const texts = new Map<ItemKey, string>();
  const startOf = (entryIndex: number) => spans[entryIndex]?.start ?? 0;
  const find = (item: Item): Original => {
    const at = indexOfKey(index, item.key);
    const seed = seeds[at];
    assert(seed !== undefined, "originals are asked of the source that read the item");
    const entry = () => toJsonBytes(text.bytes.subarray(startOf(entryOfItem(placement, at))));
    return originals.get(seed) ?? readOrigin(entry(), seed.origin);
  };
  return {
    originalOf: (item) => find(item).bytes,
    textOf(item) {
      if (item.kind === "media") return "";
      const known = texts.get(item.key);
      if (known !== undefined) return known;
      const decoded = decodeWtf8(find(item).bytes);
      texts.set(item.key, decoded);
      return decoded;
    },
    placeOf(key) {
      const at = indexOfKey(index, key);
      const item = items[at];
      if (item === undefined) return null;
      const entryIndex = entryOfItem(placement, at);
      return { item, entryIndex, entryStart: startOf(entryIndex), slot: seeds[at]?.slot ?? null };
    },
  };
}
