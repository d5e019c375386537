import type { Item, ItemKey } from "../model/item.ts";
import type { Transcript } from "../model/transcript.ts";
import type { Exposure } from "../model/view.ts";

/**
 * What the provider may hold of each item. The first `sentCount` keys of the chain were part of an earlier request of
 * the lineage; of the others only what follows the last assistant message is certainly new.
 */
export function exposureOf(
  transcript: Transcript,
  chainKeys: readonly ItemKey[],
  sentCount: number,
): (item: Item) => Exposure {
  const sent = new Set(chainKeys.slice(0, sentCount));
  const lastAssistant = lastAssistantIndex(transcript);
  return (item) => {
    if (sent.has(item.key)) return "sent";
    return item.messageIndex > lastAssistant ? "new" : "unknown";
  };
}

/**
 * Which items are written again in any case: known ones behind all that the provider may hold. None where it is not known how
 * much that is.
 */
export function brokenBehind(
  chainKeys: readonly ItemKey[],
  cachedCount: number | null,
  known: ReadonlyMap<ItemKey, unknown>,
): (item: Item) => boolean {
  if (cachedCount === null) return () => false;
  const cached = new Set(chainKeys.slice(0, cachedCount));
  return ({ key }) => known.has(key) && !cached.has(key);
}

/** Index of the last assistant message; -1 without one. */
export function lastAssistantIndex(transcript: Transcript): number {
  for (let index = transcript.messages.length - 1; index >= 0; index--) {
    if (transcript.messages[index]?.role === "assistant") return index;
  }
  return -1;
}

/** Runs of assistant messages behind the first `itemCount` items, without those that hold an item that was seen before. */
export function assistantRunsBehind(
  { messages, items }: Transcript,
  itemCount: number,
  isSeen: (item: Item) => boolean,
): number {
  let runs = 0;
  let isInRun = false;
  for (const { role, itemStart, itemEnd } of messages) {
    if (itemEnd <= itemCount) continue;
    if (role === "assistant" && !isInRun && !items.slice(itemStart, itemEnd).some(isSeen)) runs++;
    isInRun = role === "assistant";
  }
  return runs;
}
