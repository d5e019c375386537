import { sha256Hex } from "../../lib/hash.ts";
import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { visitElements } from "../../lib/json-spans.ts";
import type { Digest } from "../../model/item.ts";
import type { ReadMemo } from "../../model/ports.ts";
import { type Outline, outlineMessage } from "./outline.ts";
import type { Placement } from "./placement.ts";
import { type MessageSeed, recallSeed } from "./seed.ts";

/** A conversation as one of its last bodies had it. What a later body repeats byte for byte needs no scan. */
interface History {
  readonly bytes: Buffer;
  readonly spans: readonly Span[];
  readonly messages: readonly MessageSeed[];
  readonly placement: Placement;
  /** Messages before this index were sealed when they were placed. */
  readonly sealedEnd: number;
}

/** The last bodies of a conversation that do not go on with each other: as its client sends it, and with asides in it. */
interface HistoriesSeed {
  readonly kind: "anthropic-histories";
  /** The last one first. */
  readonly histories: readonly History[];
}

/** The messages of a body: where each stands, and either what is known of it or its parts. */
export interface MessageList {
  readonly spans: Span[];
  readonly found: (MessageSeed | Outline)[];
  /** What was remembered of the conversation, and how many messages at its head are repeated without a difference. */
  history: History | null;
  sharedCount: number;
  /** Its other bodies. */
  others: readonly History[];
}

const CLOSE_BRACE = 0x7d;
const HISTORIES_MAX = 2;
/** Messages at the end of a body that the next one may have in another form, as where a breakpoint moved on. */
const TAIL_MESSAGES_MAX = 4;
/** Rough memory of one item's facts, in bytes; they are kept beside the body. */
const ITEM_BYTES = 1_024;

/** An empty list. */
export function createMessageList(): MessageList {
  return { spans: [], found: [], history: null, sharedCount: 0, others: [] };
}

/** Walks the message list at `start` into `list` and answers its end, or a failure. */
export function visitMessages(text: JsonBytes, start: number, memo: ReadMemo, list: MessageList): number {
  return visitElements(text, start, (valueStart, index) => {
    const end = endOfRepeated(text, valueStart, list.history, index) ?? endInOther(text, valueStart, list, index);
    const known = end === null ? undefined : list.history?.messages[index];
    if (end === null || known === undefined) return scanMessage(text, valueStart, memo, list);
    addMessage(list, { start: valueStart, end }, known);
    return end;
  });
}

/** Names what kind of thing a found message is. */
export function isKnown(found: MessageSeed | Outline): found is MessageSeed {
  return "kind" in found;
}

/** Remembers a body that was read, in the place of the one that it goes on with. */
export function rememberHistory(
  text: JsonBytes,
  memo: ReadMemo,
  list: MessageList,
  read: Omit<History, "bytes">,
): void {
  const [first] = read.spans;
  if (first === undefined) return;
  const { history, sharedCount, others } = list;
  const isContinued = history === null || history.messages.length - sharedCount <= TAIL_MESSAGES_MAX;
  const before = isContinued ? others : [history, ...others];
  const histories = [{ bytes: text.bytes, ...read }, ...before].slice(0, HISTORIES_MAX);
  const heldBytes = histories.reduce((sum, one) => sum + heldBytesOf(one), 0);
  memo.set(historyDigest(text, first), { kind: "anthropic-histories", histories }, heldBytes);
}

function heldBytesOf({ bytes, placement }: History): number {
  return bytes.length + placement.items.length * ITEM_BYTES;
}

/** Conversations are told apart by their first message, byte for byte. */
function historyDigest(text: JsonBytes, first: Span): Digest {
  return sha256Hex(`anthropic-history:${sha256Hex(text.bytes.subarray(first.start, first.end))}`);
}

/**
 * Where the message at `start` ends, if its bytes are those of the remembered body at the same index. An object ends with
 * its brace, whatever follows it: so the same bytes are the same message.
 */
function endOfRepeated(text: JsonBytes, start: number, history: History | null, index: number): number | null {
  const before = history?.spans[index];
  if (before === undefined || history === null) return null;
  const end = start + before.end - before.start;
  if (text.bytes[end - 1] !== CLOSE_BRACE) return null;
  return text.bytes.compare(history.bytes, before.start, before.end, start, end) === 0 ? end : null;
}

/** The same in another body of the conversation, which shares everything in front of it as well: then it is the one to go on with. */
function endInOther(text: JsonBytes, start: number, list: MessageList, index: number): number | null {
  const { history, spans, others, sharedCount } = list;
  if (history === null || sharedCount < index) return null;
  const isShared = (other: History) =>
    endOfRepeated(text, start, other, index) !== null &&
    spans.every((span, at) => endOfRepeated(text, span.start, other, at) === span.end);
  const other = others.find(isShared);
  if (other === undefined) return null;
  list.history = other;
  list.others = [history, ...others.filter((one) => one !== other)];
  return endOfRepeated(text, start, other, index);
}

function scanMessage(text: JsonBytes, start: number, memo: ReadMemo, list: MessageList): number {
  const outline = outlineMessage(toJsonBytes(text.bytes.subarray(start)));
  if (typeof outline === "number") return ~(~outline + start);
  const span = { start, end: start + outline.span.end };
  const isFirst = list.spans.length === 0;
  if (isFirst) recallHistories(text, span, memo, list);
  addMessage(list, span, (isFirst ? list.history?.messages[0] : undefined) ?? outline);
  return span.end;
}

function recallHistories(text: JsonBytes, first: Span, memo: ReadMemo, list: MessageList): void {
  const known = recallSeed<HistoriesSeed>(memo.get(historyDigest(text, first)), "anthropic-histories");
  const [last, ...others] = known?.histories ?? [];
  list.history = last ?? null;
  list.others = others;
}

function addMessage(list: MessageList, span: Span, found: MessageSeed | Outline): void {
  if (isKnown(found) && list.sharedCount === list.spans.length) list.sharedCount += 1;
  list.spans.push(span);
  list.found.push(found);
}
