import type { Item } from "../model/item.ts";
import type { Transcript } from "../model/transcript.ts";

/**
 * Items in front of the message in which the user spoke last. A model that keeps no thinking of earlier turns has none of theirs before
 * it. Source: the provider's prompt caching page.
 */
export function countBeforeSpoken({ messages, items }: Transcript): number {
  const last = messages.findLast(({ role, itemStart, itemEnd }) => {
    return role === "user" && items.slice(itemStart, itemEnd).some(isSpoken);
  });
  return last?.itemStart ?? 0;
}

/** Anything but the results of calls. */
function isSpoken(item: Item): boolean {
  return item.kind !== "result" && !(item.kind === "media" && item.callId !== null);
}
