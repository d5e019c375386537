import { assert } from "../../lib/assert.ts";
import type { Item, ItemKey, Role } from "../../model/item.ts";
import type { Message } from "../../model/transcript.ts";
import { continueIndex, indexOfKey, type KeyIndex } from "./key-index.ts";
import type { Seed, UnplacedItem } from "./seed.ts";

/** Items in their places, with keys that are unique in the transcript. */
export interface Placement {
  readonly messages: Message[];
  readonly items: Item[];
  /** Seed of each item, by the item's index. */
  readonly seeds: Seed[];
  readonly entries: PlacedEntry[];
  readonly index: KeyIndex;
  /** Last number given to a key in this placement, so that many equal items are numbered without a search. */
  readonly numbers: Map<string, number>;
}

/** Where an entry of the body stands in the transcript: a message of its own, or the end of one so far. */
export interface PlacedEntry {
  readonly messageIndex: number;
  /** One past its last item. */
  readonly itemEnd: number;
  /** Blocks of its message up to and including its own. */
  readonly blockEnd: number;
}

/** A placement that goes on behind the first `entryCount` entries of another one, which stays as it is. */
export function continuePlacement(before: Placement | null, entryCount: number): Placement {
  const last = before?.entries[entryCount - 1];
  const itemCount = last?.itemEnd ?? 0;
  const items = before?.items.slice(0, itemCount) ?? [];
  return {
    messages: last === undefined ? [] : messagesUpTo(before?.messages ?? [], last),
    items,
    seeds: before?.seeds.slice(0, itemCount) ?? [],
    entries: before?.entries.slice(0, entryCount) ?? [],
    index: continueIndex(before?.index ?? null, items, itemCount),
    numbers: new Map(),
  };
}

/** The last message may have gone on behind the entry. */
function messagesUpTo(messages: readonly Message[], { messageIndex, itemEnd }: PlacedEntry): Message[] {
  const shared = messages.slice(0, messageIndex + 1);
  const last = shared[messageIndex];
  if (last !== undefined && last.itemEnd !== itemEnd) shared[messageIndex] = { ...last, itemEnd };
  return shared;
}

/** Appends one entry as a message of its own. */
export function placeMessage(placement: Placement, role: Role, seeds: readonly Seed[]): void {
  const { messages, items, entries } = placement;
  const messageIndex = messages.length;
  const itemStart = items.length;
  const place = { role, messageIndex, blockStart: 0 };
  placeSeeds(placement, seeds, place);
  messages.push({ role, itemStart, itemEnd: items.length });
  entries.push({ messageIndex, itemEnd: items.length, blockEnd: blockEndOf(seeds, 0) });
}

/** Appends one entry to the last message, whose blocks it goes on with. There is one. */
export function joinMessage(placement: Placement, seeds: readonly Seed[]): void {
  const { messages, items, entries } = placement;
  const messageIndex = messages.length - 1;
  const message = messages[messageIndex];
  assert(message !== undefined, "an entry joins a message that is there");
  const blockStart = entries.at(-1)?.blockEnd ?? 0;
  placeSeeds(placement, seeds, { role: message.role, messageIndex, blockStart });
  messages[messageIndex] = { ...message, itemEnd: items.length };
  entries.push({ messageIndex, itemEnd: items.length, blockEnd: blockEndOf(seeds, blockStart) });
}

/** Index of the entry that holds the item of this index. */
export function entryOfItem({ entries, items }: Placement, itemIndex: number): number {
  const messageIndex = items[itemIndex]?.messageIndex ?? 0;
  // Where no entry joined another, each stands at the index of its message.
  if (entries.length > messageIndex && isIn(entries, messageIndex, itemIndex)) return messageIndex;
  let low = 0;
  let high = entries.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.itemEnd ?? 0) > itemIndex) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isIn(entries: readonly PlacedEntry[], entryIndex: number, itemIndex: number): boolean {
  return (entries[entryIndex]?.itemEnd ?? 0) > itemIndex && (entries[entryIndex - 1]?.itemEnd ?? 0) <= itemIndex;
}

interface SeedPlace {
  readonly role: Role;
  readonly messageIndex: number;
  /** Blocks of the message in front of the entry. */
  readonly blockStart: number;
}

function placeSeeds(placement: Placement, seeds: readonly Seed[], place: SeedPlace): void {
  const { items } = placement;
  for (const seed of seeds) {
    const key = nextKey(placement, seed);
    placement.index.own.set(key, items.length);
    items.push(placeItem(seed.item, key, place));
    placement.seeds.push(seed);
  }
}

function blockEndOf(seeds: readonly Seed[], blockStart: number): number {
  const last = seeds.at(-1);
  return last === undefined ? blockStart : blockStart + last.item.blockIndex + 1;
}

/** Call ids are the client's text and may imitate a numbered key, so numbers already taken are passed over. */
function nextKey({ index, numbers }: Placement, { keyStem, isNamed }: Seed): ItemKey {
  let count = numbers.get(keyStem) ?? 0;
  let key: ItemKey;
  do {
    count += 1;
    key = isNamed && count === 1 ? keyStem : `${keyStem}:${count}`;
  } while (indexOfKey(index, key) !== -1);
  numbers.set(keyStem, count);
  return key;
}

/** Written out by kind: on long transcripts this is most of a warm read, and a spread costs many times as much. */
function placeItem(item: UnplacedItem, key: ItemKey, { role, messageIndex, blockStart }: SeedPlace): Item {
  const { digest, bytes, lines } = item;
  const blockIndex = blockStart + item.blockIndex;
  switch (item.kind) {
    case "result": {
      const { kind, callId, isError, mediaCount, isReplaceable } = item;
      return {
        kind,
        key,
        role,
        messageIndex,
        blockIndex,
        digest,
        bytes,
        lines,
        callId,
        isError,
        mediaCount,
        isReplaceable,
      };
    }
    case "media": {
      const { kind, callId, mediaType, dimensions, carriedBytes, isReplaceable } = item;
      return {
        kind,
        key,
        role,
        messageIndex,
        blockIndex,
        digest,
        bytes,
        lines,
        callId,
        mediaType,
        dimensions,
        carriedBytes,
        isReplaceable,
      };
    }
    case "call": {
      const { kind, callId, name, input } = item;
      return { kind, key, role, messageIndex, blockIndex, digest, bytes, lines, callId, name, input };
    }
    case "opaque": {
      const { kind, type } = item;
      return { kind, key, role, messageIndex, blockIndex, digest, bytes, lines, type };
    }
    case "text":
    case "thinking":
      return { kind: item.kind, key, role, messageIndex, blockIndex, digest, bytes, lines };
  }
}
