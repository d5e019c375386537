import { sha256Hex } from "../../lib/hash.ts";
import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { visitElements } from "../../lib/json-spans.ts";
import type { Digest } from "../../model/item.ts";
import type { ReadMemo } from "../../model/ports.ts";
import { type Outline, outlineMessage } from "./outline.ts";
import { type MessageSeed, recallSeed } from "./seed.ts";

/** One message in the body: where, the digest of its bytes, and what is remembered of it. */
export interface PlacedMessage {
  readonly span: Span;
  readonly digest: Digest;
  readonly known: MessageSeed | null;
  /** Null where the message was not looked into because it is known. */
  readonly outline: Outline | null;
}

const CLOSE_BRACE = 0x7d;

/**
 * Walks the message list at `start` into `found` and answers its end, or a failure. Where a message ended in the last
 * body with the same first message is tried first: when the bytes up to there have the digest of a remembered message
 * they *are* that message, and need no scan.
 */
export function visitMessages(text: JsonBytes, start: number, memo: ReadMemo, found: PlacedMessage[]): number {
  let lengths: readonly number[] = [];
  return visitElements(text, start, (valueStart, index) => {
    const guessed = index === 0 ? null : guessMessage(text, valueStart, lengths[index], memo);
    const message = guessed?.known ? guessed : scanMessage(text, valueStart, memo, guessed);
    if (typeof message === "number") return message;
    if (index === 0) lengths = recallSeed(memo.get(layoutDigest(message.digest)), "anthropic-layout")?.lengths ?? [];
    found.push(message);
    return message.span.end;
  });
}

/** Remembers where the messages of this body end. */
export function rememberLayout(memo: ReadMemo, messages: readonly PlacedMessage[]): void {
  const [first] = messages;
  if (first === undefined) return;
  const lengths = messages.map(({ span }) => span.end - span.start);
  memo.set(layoutDigest(first.digest), { kind: "anthropic-layout", lengths });
}

function layoutDigest(first: Digest): Digest {
  return sha256Hex(`anthropic-layout:${first}`);
}

function guessMessage(
  text: JsonBytes,
  start: number,
  length: number | undefined,
  memo: ReadMemo,
): PlacedMessage | null {
  if (length === undefined || text.bytes[start + length - 1] !== CLOSE_BRACE) return null;
  return placeMessage(text, { start, end: start + length }, memo);
}

function scanMessage(
  text: JsonBytes,
  start: number,
  memo: ReadMemo,
  guessed: PlacedMessage | null,
): PlacedMessage | number {
  const outline = outlineMessage(toJsonBytes(text.bytes.subarray(start)));
  if (typeof outline === "number") return ~(~outline + start);
  const end = start + outline.span.end;
  const placed = guessed?.span.end === end ? guessed : placeMessage(text, { start, end }, memo);
  return placed.known === null ? { ...placed, outline } : placed;
}

function placeMessage(text: JsonBytes, span: Span, memo: ReadMemo): PlacedMessage {
  const digest = sha256Hex(text.bytes.subarray(span.start, span.end));
  return { span, digest, known: recallSeed(memo.get(digest), "anthropic-message"), outline: null };
}
