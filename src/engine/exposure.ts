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

/** Index of the last assistant message; -1 without one. */
export function lastAssistantIndex(transcript: Transcript): number {
  for (let index = transcript.messages.length - 1; index >= 0; index--) {
    if (transcript.messages[index]?.role === "assistant") return index;
  }
  return -1;
}

/** Runs of assistant messages behind the first `itemCount` items, without those that make a call that was seen before. */
export function assistantRunsBehind(
  { messages, items }: Transcript,
  itemCount: number,
  isSeenCall: (callId: string) => boolean,
): number {
  let runs = 0;
  let isInRun = false;
  for (const { role, itemStart, itemEnd } of messages) {
    if (itemEnd <= itemCount) continue;
    const isSeen = items.slice(itemStart, itemEnd).some((item) => item.kind === "call" && isSeenCall(item.callId));
    if (role === "assistant" && !isInRun && !isSeen) runs++;
    isInRun = role === "assistant";
  }
  return runs;
}
