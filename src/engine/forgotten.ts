import type { Item } from "../model/item.ts";
import type { Transcript } from "../model/transcript.ts";

/**
 * Items in front of the first thinking that a model which keeps none of earlier turns had in the request before and leaves out of this
 * one, because the user spoke since; `sentCount` where it leaves nothing out. What stands behind is another prompt. Source: the
 * provider's prompt caching page.
 */
export function countBeforeForgotten({ messages, items }: Transcript, sentCount: number): number {
  const spoken = messages.flatMap(({ role, itemStart, itemEnd }, index) => {
    return role === "user" && items.slice(itemStart, itemEnd).some(isSpoken) ? [{ index, itemStart }] : [];
  });
  const last = spoken.at(-1);
  const before = spoken.findLast(({ itemStart }) => itemStart < sentCount);
  if (last === undefined || before === undefined || last.index === before.index) return sentCount;
  const forgotten = items.findIndex(({ kind, messageIndex }, index) => {
    return kind === "thinking" && index < sentCount && messageIndex > before.index && messageIndex < last.index;
  });
  return forgotten === -1 ? sentCount : forgotten;
}

/** Anything but the results of calls. */
function isSpoken(item: Item): boolean {
  return item.kind !== "result" && !(item.kind === "media" && item.callId !== null);
}
