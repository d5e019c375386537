import type { Item } from "../model/item.ts";
import type { Message, Transcript } from "../model/transcript.ts";
import { lastAssistantIndex } from "./exposure.ts";

/**
 * How many items stand in front of the round that the model is in: all of them where the last word is a person's and no result
 * comes with it, else those before the last such message. In an open round the model's thinking must stand as it came.
 */
export function settledCount(transcript: Transcript, isGenuine: (message: Message) => boolean): number {
  const { messages, items } = transcript;
  const last = lastAssistantIndex(transcript);
  const isTurn = (index: number) => {
    const message = messages[index];
    return message !== undefined && isGenuine(message) && !comesWithResults(transcript, index);
  };
  for (let index = messages.length - 1; index >= 0; index--) {
    if (!isTurn(index)) continue;
    return index > last ? items.length : (messages[index]?.itemStart ?? 0);
  }
  return 0;
}

/** Messages between two of the model's are one to the provider. */
function comesWithResults({ messages, items }: Transcript, index: number): boolean {
  let start = index;
  while (start > 0 && messages[start - 1]?.role !== "assistant") start--;
  let end = index + 1;
  while (end < messages.length && messages[end]?.role !== "assistant") end++;
  const run = items.slice(messages[start]?.itemStart ?? 0, messages[end - 1]?.itemEnd ?? 0);
  return run.some(isResult);
}

function isResult(item: Item): boolean {
  return item.kind === "result" || (item.kind === "opaque" && item.type === "tool_result");
}
