import type { Item, ItemKey, Role } from "../../model/item.ts";
import type { Message } from "../../model/transcript.ts";
import type { Seed, UnplacedItem } from "./seed.ts";

/** Items in their places, with keys that are unique in the transcript. */
export interface Placement {
  readonly messages: Message[];
  readonly items: Item[];
  /** Seed and first byte of the message of each item, by the item's index. */
  readonly seeds: Seed[];
  readonly messageStarts: number[];
  readonly occurrences: Map<string, number>;
  readonly keys: Set<ItemKey>;
}

/** A placement without items. */
export function createPlacement(): Placement {
  return { messages: [], items: [], seeds: [], messageStarts: [], occurrences: new Map(), keys: new Set() };
}

/** Appends one message's items. */
export function placeMessage(placement: Placement, role: Role, seeds: readonly Seed[], messageStart: number): void {
  const messageIndex = placement.messages.length;
  const itemStart = placement.items.length;
  for (const seed of seeds) {
    placement.items.push(placeItem(seed.item, nextKey(placement, seed), role, messageIndex));
    placement.seeds.push(seed);
    placement.messageStarts.push(messageStart);
  }
  placement.messages.push({ role, itemStart, itemEnd: placement.items.length });
}

/** Call ids are the client's text and may imitate a numbered key, so numbers already taken are passed over. */
function nextKey(placement: Placement, seed: Seed): ItemKey {
  const { keyStem, isNamed } = seed;
  let count = placement.occurrences.get(keyStem) ?? 0;
  let key: ItemKey;
  do {
    count += 1;
    key = isNamed && count === 1 ? keyStem : `${keyStem}:${count}`;
  } while (placement.keys.has(key));
  placement.occurrences.set(keyStem, count);
  placement.keys.add(key);
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
      const { kind, callId, mediaType } = item;
      return { kind, key, role, messageIndex, blockIndex, digest, bytes, lines, callId, mediaType };
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
