import { assert } from "../../lib/assert.ts";
import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { decodeWtf8 } from "../../lib/wtf8.ts";
import type { Item, ItemKey } from "../../model/item.ts";
import type { WireSource } from "../../model/ports.ts";
import type { Breakpoint, RequestHeader } from "../../model/transcript.ts";
import { indexOfKey } from "./key-index.ts";
import { type Original, readOrigin } from "./origin.ts";
import type { Placement } from "./placement.ts";
import type { Seed, Slot } from "./seed.ts";

/** The place of a result's text or of media in the body: the slot's spans count from `messageStart`. */
export interface PlacedSlot {
  readonly messageStart: number;
  readonly slot: Slot;
}

/** A body this wire read, with the places of what can be replaced. */
export interface AnthropicSource extends WireSource {
  readonly wire: "anthropic-messages";
  /** Null where the item is not in the body or has nothing to replace. */
  slotOf(key: ItemKey): PlacedSlot | null;
}

interface SourceParts {
  readonly text: JsonBytes;
  readonly header: RequestHeader;
  readonly breakpoints: readonly Breakpoint[];
  readonly sessionId: string | null;
  readonly placement: Placement;
  /** Where each message stands. */
  readonly spans: readonly Span[];
  /** Originals made while reading. */
  readonly originals: ReadonlyMap<Seed, Original>;
}

/** Looks originals and texts up on demand; decoded texts are kept for as long as the source lives. */
export function createSource({
  text,
  header,
  breakpoints,
  sessionId,
  placement,
  spans,
  originals,
}: SourceParts): AnthropicSource {
  const { messages, items, seeds, index } = placement;
  const texts = new Map<ItemKey, string>();
  const startOf = (item: Item | undefined) => spans[item?.messageIndex ?? 0]?.start ?? 0;
  const find = (item: Item): Original => {
    const seed = seeds[indexOfKey(index, item.key)];
    assert(seed !== undefined, "originals are asked of the source that read the item");
    const made = originals.get(seed);
    return made ?? readOrigin(toJsonBytes(text.bytes.subarray(startOf(item))), seed.origin);
  };
  const textOf = (item: Item) => {
    if (item.kind === "media") return "";
    const known = texts.get(item.key);
    if (known !== undefined) return known;
    const decoded = decodeWtf8(find(item).bytes);
    texts.set(item.key, decoded);
    return decoded;
  };
  const originalOf = (item: Item) => find(item).bytes;
  const slotOf = (key: ItemKey) => {
    const place = indexOfKey(index, key);
    const slot = seeds[place]?.slot ?? null;
    return slot === null ? null : { messageStart: startOf(items[place]), slot };
  };
  const transcript = { header, messages, items, breakpoints };
  return { wire: "anthropic-messages", transcript, sessionId, originalOf, textOf, slotOf };
}

/** Narrows a source to one this wire made. */
export function isAnthropicSource(source: WireSource): source is AnthropicSource {
  return "wire" in source && source.wire === "anthropic-messages";
}
