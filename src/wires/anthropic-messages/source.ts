import { assert } from "../../lib/assert.ts";
import { type JsonBytes, toJsonBytes } from "../../lib/json-scan.ts";
import { decodeWtf8 } from "../../lib/wtf8.ts";
import type { Item, ItemKey } from "../../model/item.ts";
import type { WireSource } from "../../model/ports.ts";
import type { RequestHeader } from "../../model/transcript.ts";
import { type Original, readOrigin } from "./origin.ts";
import type { Placement } from "./placement.ts";
import type { Seed, Slot } from "./seed.ts";

/** A result text's place in the body: the slot's spans count from `messageStart`. */
export interface PlacedSlot {
  readonly messageStart: number;
  readonly slot: Slot;
}

/** A body this wire read, with the places of its results' texts. */
export interface AnthropicSource extends WireSource {
  readonly wire: "anthropic-messages";
  /** Null where the item is not in the body or has no text to replace. */
  slotOf(key: ItemKey): PlacedSlot | null;
}

interface SourceParts {
  readonly text: JsonBytes;
  readonly header: RequestHeader;
  readonly sessionId: string | null;
  readonly placement: Placement;
  /** Originals made while reading. */
  readonly originals: ReadonlyMap<Seed, Original>;
}

/** Looks originals and texts up on demand; decoded texts are kept for as long as the source lives. */
export function createSource({ text, header, sessionId, placement, originals }: SourceParts): AnthropicSource {
  const { messages, items, seeds, messageStarts } = placement;
  const texts = new Map<ItemKey, string>();
  const indexes = new Map<ItemKey, number>();
  const indexOf = (key: ItemKey) => {
    if (indexes.size === 0) for (const [index, item] of items.entries()) indexes.set(item.key, index);
    return indexes.get(key) ?? -1;
  };
  const find = (item: Item): Original => {
    const index = indexOf(item.key);
    const seed = seeds[index];
    assert(seed !== undefined, "originals are asked of the source that read the item");
    const made = originals.get(seed);
    return made ?? readOrigin(toJsonBytes(text.bytes.subarray(messageStarts[index])), seed.origin);
  };
  const textOf = (item: Item) => {
    if (item.kind === "media") return "";
    const known = texts.get(item.key);
    if (known !== undefined) return known;
    const original = find(item);
    const decoded = original.text ?? decodeWtf8(original.bytes);
    texts.set(item.key, decoded);
    return decoded;
  };
  const originalOf = (item: Item) => find(item).bytes;
  const slotOf = (key: ItemKey) => {
    const index = indexOf(key);
    const slot = seeds[index]?.slot ?? null;
    return slot === null ? null : { messageStart: messageStarts[index] ?? 0, slot };
  };
  return { wire: "anthropic-messages", transcript: { header, messages, items }, sessionId, originalOf, textOf, slotOf };
}

/** Narrows a source to one this wire made. */
export function isAnthropicSource(source: WireSource): source is AnthropicSource {
  return "wire" in source && source.wire === "anthropic-messages";
}
