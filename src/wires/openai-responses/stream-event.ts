import { type JsonBytes, type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { type JsonMembers, membersOf } from "../../lib/json-spans.ts";
import type { RawEvent } from "../shared/stream-write.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { isCount } from "../shared/watch.ts";

/** An event of a stream, read. All spans are of its data as UTF-8. */
export interface ReadEvent {
  readonly text: JsonBytes;
  readonly told: Told;
  /** Null where the event states none. */
  readonly sequence: ToldCount | null;
  /** Place of the item in the response's output. */
  readonly index: ToldCount | null;
}

/** A number in an event. */
export interface ToldCount {
  readonly span: Span;
  readonly value: number;
}

/** What an event tells; every other member of it is passed on unread. Spans are of objects. */
export type Told =
  | { readonly kind: "response-begun"; readonly response: Span }
  | { readonly kind: "response-going" }
  | { readonly kind: "item-begun"; readonly index: number; readonly item: Span }
  | { readonly kind: "item-ended"; readonly index: number; readonly item: Span }
  | { readonly kind: "item-told"; readonly index: number }
  | { readonly kind: "response-ended"; readonly response: Span; readonly isCompleted: boolean }
  /** Nothing that matters for following. */
  | { readonly kind: "other" }
  /** It ought to tell something, and does not. */
  | { readonly kind: "unreadable" };

/** An event without a name is told by its data, like every other. */
const UNNAMED = "message";
const ENDS: ReadonlySet<string | null> = new Set(["response.completed", "response.incomplete", "response.failed"]);
const GOING: ReadonlySet<string | null> = new Set(["response.in_progress", "response.queued"]);

/** Reads one event. Never throws. */
export function readEvent({ name, data }: RawEvent): ReadEvent {
  const text = toJsonBytes(Buffer.from(data));
  const isTelling = name.startsWith("response.") || name === "error" || name === UNNAMED;
  if (!isTelling) return { text, told: { kind: "other" }, sequence: null, index: null };
  const scan = scanJson(text);
  if (!scan.ok || kindOf(text, scan.value) !== "object") {
    return { text, told: { kind: "unreadable" }, sequence: null, index: null };
  }
  const { spans } = membersOf(text, scan.value.start);
  const index = countAt(text, spans.get("output_index"));
  return { text, told: toldOf(text, spans, index), sequence: countAt(text, spans.get("sequence_number")), index };
}

function toldOf(text: JsonBytes, spans: JsonMembers["spans"], index: ToldCount | null): Told {
  const type = stringAt(text, spans.get("type"));
  const response = objectAt(text, spans.get("response"));
  if (GOING.has(type)) return { kind: "response-going" };
  if (type === "response.created" || ENDS.has(type)) {
    if (response === null) return { kind: "unreadable" };
    if (type === "response.created") return { kind: "response-begun", response };
    return { kind: "response-ended", response, isCompleted: type === "response.completed" };
  }
  const isItem = type === "response.output_item.added" || type === "response.output_item.done";
  if (index === null) return { kind: isItem ? "unreadable" : "other" };
  if (!isItem) return { kind: "item-told", index: index.value };
  const item = objectAt(text, spans.get("item"));
  if (item === null) return { kind: "unreadable" };
  return { kind: type === "response.output_item.added" ? "item-begun" : "item-ended", index: index.value, item };
}

/** The span where it is an object. */
export function objectAt(text: JsonBytes, span: Span | undefined): Span | null {
  return span !== undefined && kindOf(text, span) === "object" ? span : null;
}

/** The count that a value is; null for any other value. */
export function countAt(text: JsonBytes, span: Span | undefined): ToldCount | null {
  if (span === undefined || kindOf(text, span) !== "number") return null;
  const value = Number(text.bytes.toString("latin1", span.start, span.end));
  return isCount(value) ? { span, value } : null;
}
