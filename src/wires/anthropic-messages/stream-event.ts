import { type JsonBytes, type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { type JsonMembers, membersOf } from "../../lib/json-spans.ts";
import type { RawEvent } from "../shared/stream-write.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { isCount } from "../shared/watch.ts";
import { type ToldWords, wordsIn } from "./stream-delta.ts";

/** A value inside the data of an event. */
export interface ToldValue {
  readonly text: JsonBytes;
  readonly span: Span;
}

/** What an event of the stream tells; every other member of it is passed on unread. */
export type Told =
  | { readonly kind: "message-start"; readonly usage: ToldValue | null }
  | { readonly kind: "block-start"; readonly index: number; readonly indexSpan: Span; readonly block: ToldValue }
  | {
      readonly kind: "block-delta";
      readonly index: number;
      readonly indexSpan: Span;
      readonly delta: ToldValue | ToldWords;
    }
  | { readonly kind: "block-stop"; readonly index: number; readonly indexSpan: Span }
  | {
      readonly kind: "message-delta";
      readonly text: JsonBytes;
      readonly stopReason: string | null;
      /** Null where none is told. */
      readonly usage: Span | null;
      /** The brace that closes the data. */
      readonly close: number;
    }
  | { readonly kind: "message-stop" }
  /** Nothing that matters for following. */
  | { readonly kind: "other" }
  /** It ought to tell something, and does not. */
  | { readonly kind: "unreadable" };

/** An event without a name is told by its data, like every other. */
const TELLING_NAMES: ReadonlySet<string> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "message",
]);

const OTHER: Told = { kind: "other" };
const UNREADABLE: Told = { kind: "unreadable" };

/** Reads one event. Never throws. */
export function readEvent({ name, data }: RawEvent): Told {
  if (!TELLING_NAMES.has(name)) return OTHER;
  const words = wordsIn(data);
  if (words !== null) return { kind: "block-delta", ...words };
  const text = toJsonBytes(Buffer.from(data));
  const scan = scanJson(text);
  if (!scan.ok || kindOf(text, scan.value) !== "object") return UNREADABLE;
  const { spans } = membersOf(text, scan.value.start);
  switch (stringAt(text, spans.get("type"))) {
    case "message_start": {
      const message = objectAt(text, spans.get("message"));
      const usage = message === null ? null : objectSpan(text, message.spans.get("usage"));
      return { kind: "message-start", usage: usage === null ? null : { text, span: usage } };
    }
    case "content_block_start":
    case "content_block_delta":
    case "content_block_stop":
      return readBlockEvent(text, spans);
    case "message_delta": {
      const delta = objectAt(text, spans.get("delta"));
      const stopReason = stringAt(text, delta?.spans.get("stop_reason"));
      const usage = objectSpan(text, spans.get("usage"));
      return { kind: "message-delta", text, stopReason, usage, close: scan.value.end - 1 };
    }
    case "message_stop":
      return { kind: "message-stop" };
    default:
      return OTHER;
  }
}

function readBlockEvent(text: JsonBytes, spans: JsonMembers["spans"]): Told {
  const indexSpan = spans.get("index");
  const index = indexSpan === undefined ? null : countAt(text, indexSpan);
  if (indexSpan === undefined || index === null) return UNREADABLE;
  const type = stringAt(text, spans.get("type"));
  if (type === "content_block_stop") return { kind: "block-stop", index, indexSpan };
  const isStart = type === "content_block_start";
  const span = objectSpan(text, spans.get(isStart ? "content_block" : "delta"));
  if (span === null) return UNREADABLE;
  const value = { text, span };
  return isStart
    ? { kind: "block-start", index, indexSpan, block: value }
    : { kind: "block-delta", index, indexSpan, delta: value };
}

/** The count that a value is; null for any other value. */
export function countAt(text: JsonBytes, span: Span): number | null {
  if (kindOf(text, span) !== "number") return null;
  const value = Number(text.bytes.toString("latin1", span.start, span.end));
  return isCount(value) ? value : null;
}

function objectSpan(text: JsonBytes, span: Span | undefined): Span | null {
  return span !== undefined && kindOf(text, span) === "object" ? span : null;
}

function objectAt(text: JsonBytes, span: Span | undefined): JsonMembers | null {
  const object = objectSpan(text, span);
  return object === null ? null : membersOf(text, object.start);
}
