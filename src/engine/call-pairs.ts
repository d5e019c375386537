import type { CallItem, Item, ItemKey, ResultItem, TextItem } from "../model/item.ts";
import type { Message, Transcript } from "../model/transcript.ts";

/** A call in its place, and the result that followed it; null where none did. */
export interface CallPair {
  readonly call: CallItem;
  readonly result: ResultItem | null;
  /** Step of its assistant message, from 1. */
  readonly step: number;
  /** Index among the calls of its message, from 0. */
  readonly callIndex: number;
}

/** The texts of one user or system message. */
export interface MessageTexts {
  readonly message: Message;
  readonly texts: readonly TextItem[];
  /** Steps that precede the message. */
  readonly step: number;
}

/** A transcript as calls with their results, and texts nobody but a user or the harness wrote. */
export interface WalkedTranscript {
  readonly pairs: readonly CallPair[];
  readonly texts: readonly MessageTexts[];
  readonly steps: number;
}

/**
 * Pairs calls with results and counts steps. A result counts when it stands between its call's message and the next
 * assistant message behind it; of a call id that comes twice the first counts.
 */
export function walkTranscript(transcript: Transcript): WalkedTranscript {
  const calls: Omit<CallPair, "result">[] = [];
  const texts: MessageTexts[] = [];
  const results = new Map<string, ResultItem>();
  const seen = new Set<string>();
  let open = new Set<string>();
  let isAnswered = false;
  let step = 0;
  for (const message of transcript.messages) {
    const items = transcript.items.slice(message.itemStart, message.itemEnd);
    if (message.role === "assistant") {
      step++;
      if (isAnswered) open = new Set();
      isAnswered = false;
      calls.push(...openCalls(items, step, seen, open));
    } else {
      isAnswered ||= message.role === "user";
      attachResults(items, open, results);
      const own = items.filter((item) => item.kind === "text");
      if (own.length > 0) texts.push({ message, texts: own, step });
    }
  }
  return { pairs: calls.map((one) => ({ ...one, result: results.get(one.call.callId) ?? null })), texts, steps: step };
}

function openCalls(
  items: readonly Item[],
  step: number,
  seen: Set<string>,
  open: Set<string>,
): readonly Omit<CallPair, "result">[] {
  const placed = items.filter((item) => item.kind === "call").map((call, callIndex) => ({ call, step, callIndex }));
  return placed.filter(({ call }) => {
    if (seen.has(call.callId)) return false;
    seen.add(call.callId);
    open.add(call.callId);
    return true;
  });
}

function attachResults(items: readonly Item[], open: Set<string>, results: Map<string, ResultItem>): void {
  for (const item of items) {
    if (item.kind === "result" && open.delete(item.callId)) results.set(item.callId, item);
  }
}

/** Count of media blocks by result key; results without any are not listed. */
export function mediaCountsOf(pairs: readonly CallPair[]): ReadonlyMap<ItemKey, number> {
  const counts = new Map<ItemKey, number>();
  for (const { result } of pairs) {
    if (result !== null && result.mediaCount > 0) counts.set(result.key, result.mediaCount);
  }
  return counts;
}
