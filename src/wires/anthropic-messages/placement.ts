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
  readonly index: KeyIndex;
  /** Last number given to a key in this placement, so that many equal items are numbered without a search. */
  readonly numbers: Map<string, number>;
}

/** A placement that goes on behind the first `messageCount` messages of another one, which stays as it is. */
export function continuePlacement(before: Placement | null, messageCount: number): Placement {
  const itemCount = before?.messages[messageCount - 1]?.itemEnd ?? 0;
  const items = before?.items.slice(0, itemCount) ?? [];
  return {
    messages: before?.messages.slice(0, messageCount) ?? [],
    items,
    seeds: before?.seeds.slice(0, itemCount) ?? [],
    index: continueIndex(before?.index ?? null, items, itemCount),
    numbers: new Map(),
  };
}

/** Appends one message's items. */
export function placeMessage(placement: Placement, role: Role, seeds: readonly Seed[]): void {
  const { messages, items } = placement;
  const messageIndex = messages.length;
  const itemStart = items.length;
  for (const seed of seeds) {
    const key = nextKey(placement, seed);
    placement.index.own.set(key, items.length);
    items.push(placeItem(seed.item, key, role, messageIndex));
    placement.seeds.push(seed);
  }
  messages.push({ role, itemStart, itemEnd: items.length });
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
function placeItem(item: UnplacedItem, key: ItemKey, role: Role, messageIndex: number): Item {
  const { blockIndex, digest, bytes, lines } = item;
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
