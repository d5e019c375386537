import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { Item, ItemKey, Role } from "../../model/item.ts";
import type { WireSource } from "../../model/ports.ts";
import type { Breakpoint, RequestHeader } from "../../model/transcript.ts";
import { createLookups } from "../shared/lookups.ts";
import type { Original } from "../shared/origin.ts";
import type { Placement } from "../shared/placement.ts";
import type { Seed, Slot } from "../shared/seed.ts";
import type { Layout } from "./layout.ts";
import { takesDrop } from "./thinking-binding.ts";

/** An item in its message; all spans count from `messageStart`. */
export interface PlacedItem {
  readonly item: Item;
  readonly messageStart: number;
  /** Null where the item has nothing to replace. */
  readonly slot: Slot | null;
  /** Null where the message takes no blocks of others. */
  readonly layout: Layout | null;
}

/** A message in its place; the spans of its layout count from `start`. */
export interface PlacedMessage extends Span {
  readonly role: Role;
  /** Null where the message takes no blocks of others. */
  readonly layout: Layout | null;
}

/** Where the body takes members of its own. */
export interface Fields {
  /** The message list. */
  readonly messages: Span;
  /** Null where none or more than one is stated. */
  readonly tools: Span | null;
  /** The brace that closes the body. */
  readonly close: number;
  /** Null where none or more than one is stated. */
  readonly thinking: Span | null;
  readonly hasContextManagement: boolean;
}

/** A body this wire read, with the places of what can be replaced. */
export interface AnthropicSource extends WireSource {
  readonly wire: "anthropic-messages";
  readonly text: JsonBytes;
  readonly fields: Fields;
  /** Null where the item is not in the body. */
  placeOf(key: ItemKey): PlacedItem | null;
  /** Null where the body has no such message. */
  messageAt(index: number): PlacedMessage | null;
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
  /** By message. */
  readonly layouts: readonly (Layout | null)[];
  readonly fields: Fields;
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
  layouts,
  fields,
}: SourceParts): AnthropicSource {
  const { messages, items } = placement;
  const lookups = createLookups({ text, placement, spans, originals });
  const placeOf = (key: ItemKey): PlacedItem | null => {
    const place = lookups.placeOf(key);
    if (place === null) return null;
    const { item, entryIndex, entryStart, slot } = place;
    return { item, messageStart: entryStart, slot, layout: layouts[entryIndex] ?? null };
  };
  const messageAt = (messageIndex: number) => {
    const span = spans[messageIndex];
    const message = messages[messageIndex];
    if (span === undefined || message === undefined) return null;
    return { ...span, role: message.role, layout: layouts[messageIndex] ?? null };
  };
  const canMark = (item: Item) => isMarkable(placeOf(item.key));
  const transcript = { header, messages, items, breakpoints };
  return {
    wire: "anthropic-messages",
    transcript,
    sessionId,
    originalOf: lookups.originalOf,
    textOf: lookups.textOf,
    canMark,
    takesDrop: takesDrop({ text, fields }),
    text,
    fields,
    placeOf,
    messageAt,
  };
}

/** True where a cache breakpoint can be put on the item's block. Media inside a result have no block of a message. */
export function isMarkable(place: PlacedItem | null): boolean {
  if (place === null || place.item.role === "system") return false;
  const { item, layout } = place;
  const isInner = item.kind === "media" && item.callId !== null;
  return !isInner && layout?.kind === "list" && layout.blocks[item.blockIndex]?.isMarkable === true;
}

/** Narrows a source to one this wire made. */
export function isAnthropicSource(source: WireSource): source is AnthropicSource {
  return "wire" in source && source.wire === "anthropic-messages";
}
