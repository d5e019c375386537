import { sha256Hex } from "../../lib/hash.ts";
import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { visitElements } from "../../lib/json-spans.ts";
import type { Digest } from "../../model/item.ts";
import type { ReadMemo } from "../../model/ports.ts";
import { type Outline, outlineMessage } from "./outline.ts";
import type { Placement } from "./placement.ts";
import { type MessageSeed, recallSeed } from "./seed.ts";

/** A conversation as its last body had it. What a later body repeats byte for byte needs no scan. */
export interface HistorySeed {
  readonly kind: "anthropic-history";
  readonly bytes: Buffer;
  readonly spans: readonly Span[];
  readonly messages: readonly MessageSeed[];
  readonly placement: Placement;
  /** Messages before this index were sealed when they were placed. */
  readonly sealedEnd: number;
}

/** The messages of a body: where each stands, and either what is known of it or its parts. */
export interface MessageList {
  readonly spans: Span[];
  readonly found: (MessageSeed | Outline)[];
  /** What was remembered of the conversation, and how many messages at its head are repeated without a difference. */
  history: HistorySeed | null;
  sharedCount: number;
}

const CLOSE_BRACE = 0x7d;
/** Rough memory of one item's facts, in bytes; they are kept beside the body. */
const ITEM_BYTES = 1_024;

/** An empty list. */
export function createMessageList(): MessageList {
  return { spans: [], found: [], history: null, sharedCount: 0 };
}

/** Walks the message list at `start` into `list` and answers its end, or a failure. */
export function visitMessages(text: JsonBytes, start: number, memo: ReadMemo, list: MessageList): number {
  return visitElements(text, start, (valueStart, index) => {
    const end = endOfRepeated(text, valueStart, list.history, index);
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

/** Remembers a body that was read as the last one of its conversation. */
export function rememberHistory(text: JsonBytes, memo: ReadMemo, seed: Omit<HistorySeed, "kind" | "bytes">): void {
  const [first] = seed.spans;
  if (first === undefined) return;
  const heldBytes = text.bytes.length + seed.placement.items.length * ITEM_BYTES;
  memo.set(historyDigest(text, first), { kind: "anthropic-history", bytes: text.bytes, ...seed }, heldBytes);
}

/** Conversations are told apart by their first message, byte for byte. */
function historyDigest(text: JsonBytes, first: Span): Digest {
  return sha256Hex(`anthropic-history:${sha256Hex(text.bytes.subarray(first.start, first.end))}`);
}

/**
 * Where the message at `start` ends, if its bytes are those of the remembered body at the same index. An object ends with
 * its brace, whatever follows it: so the same bytes are the same message.
 */
function endOfRepeated(text: JsonBytes, start: number, history: HistorySeed | null, index: number): number | null {
  const before = history?.spans[index];
  if (before === undefined || history === null) return null;
  const end = start + before.end - before.start;
  if (text.bytes[end - 1] !== CLOSE_BRACE) return null;
  return text.bytes.compare(history.bytes, before.start, before.end, start, end) === 0 ? end : null;
}

function scanMessage(text: JsonBytes, start: number, memo: ReadMemo, list: MessageList): number {
  const outline = outlineMessage(toJsonBytes(text.bytes.subarray(start)));
  if (typeof outline === "number") return ~(~outline + start);
  const span = { start, end: start + outline.span.end };
  const isFirst = list.spans.length === 0;
  if (isFirst) list.history = recallSeed<HistorySeed>(memo.get(historyDigest(text, span)), "anthropic-history");
  addMessage(list, span, (isFirst ? list.history?.messages[0] : undefined) ?? outline);
  return span.end;
}

function addMessage(list: MessageList, span: Span, found: MessageSeed | Outline): void {
  if (isKnown(found) && list.sharedCount === list.spans.length) list.sharedCount += 1;
  list.spans.push(span);
  list.found.push(found);
}
