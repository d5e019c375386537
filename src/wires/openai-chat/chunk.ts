import { type JsonBytes, type Span, scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { RawEvent } from "../shared/stream-write.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { isCount } from "../shared/watch.ts";
import { membersAt } from "./object.ts";

/** A piece of a response as it is streamed. */
export interface Chunk {
  readonly text: JsonBytes;
  readonly top: ReadonlyMap<string, Span>;
  /** Members of its one choice; none where it has no choice. */
  readonly choice: ReadonlyMap<string, Span>;
  /** An object; null without one. */
  readonly delta: Span | null;
  readonly deltaMembers: ReadonlyMap<string, Span>;
  readonly entries: readonly CallEntry[];
  readonly finishReason: string | null;
  /** Every object that states usage. */
  readonly usages: readonly Span[];
}

/** What a chunk tells of one call. */
export interface CallEntry {
  readonly span: Span;
  readonly members: ReadonlyMap<string, Span>;
  /** Null where the server states none. */
  readonly index: number | null;
  readonly indexSpan: Span | null;
  readonly id: string;
  readonly name: string;
  /** Of arguments or input. */
  readonly words: string;
  readonly isCustom: boolean;
}

/** What an event of the stream tells. */
export type Told =
  | { readonly kind: "chunk"; readonly chunk: Chunk }
  | { readonly kind: "done" }
  | { readonly kind: "error" }
  /** Nothing that matters for following. */
  | { readonly kind: "other" }
  /** It tells something that cannot be followed. */
  | { readonly kind: "unreadable" };

const DONE: Told = { kind: "done" };
const ERROR: Told = { kind: "error" };
const OTHER: Told = { kind: "other" };
const UNREADABLE: Told = { kind: "unreadable" };

/** Reads one event. Never throws. */
export function readEvent({ name, data }: RawEvent): Told {
  if (name !== "message") return OTHER;
  if (data.trim() === "[DONE]") return DONE;
  const text = toJsonBytes(Buffer.from(data));
  const scan = scanJson(text);
  if (!scan.ok || kindOf(text, scan.value) !== "object") return UNREADABLE;
  const top = membersOf(text, scan.value.start).spans;
  if (top.has("error") || stringAt(text, top.get("object")) === "error") return ERROR;
  const choices = top.get("choices");
  const list = choices !== undefined && kindOf(text, choices) === "array" ? elementsOf(text, choices.start) : [];
  if (list.length > 1) return UNREADABLE;
  const choice = membersAt(text, list[0]);
  if ((countAt(text, choice.get("index")) ?? 0) !== 0) return UNREADABLE;
  return chunkOf(text, top, choice);
}

function chunkOf(text: JsonBytes, top: Chunk["top"], choice: Chunk["choice"]): Told {
  const delta = objectAt(text, choice.get("delta"));
  const deltaMembers = membersAt(text, delta ?? undefined);
  if (!isText(text, deltaMembers.get("content"))) return UNREADABLE;
  const calls = deltaMembers.get("tool_calls");
  const groq = membersAt(text, top.get("x_groq"));
  const usages = [top.get("usage"), choice.get("usage"), groq.get("usage")].flatMap(
    (span) => objectAt(text, span) ?? [],
  );
  const entries = calls === undefined || kindOf(text, calls) !== "array" ? [] : elementsOf(text, calls.start);
  return {
    kind: "chunk",
    chunk: {
      text,
      top,
      choice,
      delta,
      deltaMembers,
      entries: entries.map((span) => entryOf(text, span)),
      finishReason: stringAt(text, choice.get("finish_reason")) || null,
      usages,
    },
  };
}

/** One call of a chunk, or of a whole message. */
export function entryOf(text: JsonBytes, span: Span): CallEntry {
  const members = membersAt(text, span);
  const isCustom = members.has("custom");
  const inner = membersAt(text, members.get(isCustom ? "custom" : "function"));
  const indexSpan = members.get("index") ?? null;
  return {
    span,
    members,
    index: countAt(text, indexSpan ?? undefined),
    indexSpan,
    id: stringAt(text, members.get("id")) ?? "",
    name: stringAt(text, inner.get("name")) ?? "",
    words: wordsAt(text, inner.get(isCustom ? "input" : "arguments")),
    isCustom,
  };
}

/** Some servers write arguments as a value instead of a string. */
function wordsAt(text: JsonBytes, span: Span | undefined): string {
  const words = stringAt(text, span);
  const isValue = words === null && span !== undefined && kindOf(text, span) !== "null";
  return isValue ? text.bytes.toString("utf8", span.start, span.end) : (words ?? "");
}

/** The count that a value is; null for any other value, and for none. */
export function countAt(text: JsonBytes, span: Span | undefined): number | null {
  if (span === undefined || kindOf(text, span) !== "number") return null;
  const value = Number(text.bytes.toString("latin1", span.start, span.end));
  return isCount(value) ? value : null;
}

function isText(text: JsonBytes, span: Span | undefined): boolean {
  return span === undefined || kindOf(text, span) === "string" || kindOf(text, span) === "null";
}

function objectAt(text: JsonBytes, span: Span | undefined): Span | null {
  return span !== undefined && kindOf(text, span) === "object" ? span : null;
}
