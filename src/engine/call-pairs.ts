import type { CallItem, Item, ItemKey, ResultItem, TextItem } from "../model/item.ts";
import type { Message, Transcript } from "../model/transcript.ts";

/** A call in its place, and the result that followed it; null where none did. */
export interface CallPair {
  readonly call: CallItem;
  readonly result: ResultItem | null;
  /** Step of its assistant message, from 1. */
  readonly step: number;
  /** Index among the calls of its step, from 0. */
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
 * assistant message behind it; of a call id that comes twice the first counts. A step goes on behind a message that answers
 * nothing but calls of `roundCalls`, which the client never saw.
 */
export function walkTranscript(transcript: Transcript, roundCalls: ReadonlySet<string> = NONE): WalkedTranscript {
  const calls: Omit<CallPair, "result">[] = [];
  const texts: MessageTexts[] = [];
  const results = new Map<string, ResultItem>();
  const seen = new Set<string>();
  let open = new Set<string>();
  let isAnswered = false;
  let isGoingOn = false;
  let step = 0;
  let callCount = 0;
  for (const message of transcript.messages) {
    if (message.role === "assistant") {
      if (!isGoingOn) {
        step++;
        callCount = 0;
      }
      isGoingOn = false;
      if (isAnswered) open = new Set();
      isAnswered = false;
      callCount = openCalls(transcript.items, message, callCount, (call, callIndex) => {
        if (seen.has(call.callId)) return;
        seen.add(call.callId);
        open.add(call.callId);
        calls.push({ call, step, callIndex });
      });
    } else {
      isGoingOn = roundCalls.size > 0 && answersOnly(transcript.items, message, roundCalls);
      isAnswered ||= message.role === "user";
      const own = readAnswers(transcript.items, message, open, results);
      if (own.length > 0) texts.push({ message, texts: own, step });
    }
  }
  return { pairs: calls.map((one) => pairOf(one, results)), texts, steps: step };
}

const NONE: ReadonlySet<string> = new Set();

function pairOf({ call, step, callIndex }: Omit<CallPair, "result">, results: Map<string, ResultItem>): CallPair {
  return { call, step, callIndex, result: results.get(call.callId) ?? null };
}

/** Answers how many calls the step has with those of the message. */
function openCalls(
  items: readonly Item[],
  message: Message,
  callCount: number,
  open: (call: CallItem, callIndex: number) => void,
): number {
  let callIndex = callCount;
  for (let index = message.itemStart; index < message.itemEnd; index++) {
    const item = items[index];
    if (item?.kind === "call") open(item, callIndex++);
  }
  return callIndex;
}

function answersOnly(items: readonly Item[], message: Message, callIds: ReadonlySet<string>): boolean {
  if (message.role !== "user" || message.itemStart === message.itemEnd) return false;
  return items.slice(message.itemStart, message.itemEnd).every((item) => {
    return (item.kind === "result" || item.kind === "media") && item.callId !== null && callIds.has(item.callId);
  });
}

/** Keeps the results of open calls, and answers the texts. */
function readAnswers(
  items: readonly Item[],
  message: Message,
  open: Set<string>,
  results: Map<string, ResultItem>,
): readonly TextItem[] {
  const texts: TextItem[] = [];
  for (let index = message.itemStart; index < message.itemEnd; index++) {
    const item = items[index];
    if (item?.kind === "text") texts.push(item);
    if (item?.kind === "result" && open.delete(item.callId)) results.set(item.callId, item);
  }
  return texts;
}

/** Count of media blocks by result key; results without any are not listed. */
export function mediaCountsOf(pairs: readonly CallPair[]): ReadonlyMap<ItemKey, number> {
  const counts = new Map<ItemKey, number>();
  for (const { result } of pairs) {
    if (result !== null && result.mediaCount > 0) counts.set(result.key, result.mediaCount);
  }
  return counts;
}
