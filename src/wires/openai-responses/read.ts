import { failureAt, type JsonBytes, type Span, skipSpace, skipValue, toJsonBytes } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import type { ReadMemo, ReadOutcome } from "../../model/ports.ts";
import {
  createEntryList,
  type EntryList,
  type EntryReader,
  isKnown,
  rememberHistory,
  visitEntries,
} from "../shared/history.ts";
import type { Original } from "../shared/origin.ts";
import { continuePlacement } from "../shared/placement.ts";
import type { Seed } from "../shared/seed.ts";
import { kindOf, nameAt, namedKind } from "../shared/value.ts";
import { createDraft } from "./draft.ts";
import { isOpening, readEntry } from "./entry.ts";
import { type Outline, outlineEntry } from "./outline.ts";
import { openingCount, placeEntries } from "./place.ts";
import type { ResponsesSeed } from "./seed.ts";
import { createSource, type Fields, type ReadEntries } from "./source.ts";
import { addText } from "./text.ts";

/** The members of a body, and the entries of its `input`. */
interface Top {
  readonly members: Map<string, Span>;
  /** Members that came twice. */
  readonly twice: Set<string>;
  list: EntryList<ResponsesSeed, Outline>;
}

const ENTRIES: EntryReader<ResponsesSeed, Outline> = {
  kind: "openai-responses-entry",
  outline: outlineEntry,
  isOpening,
};
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** Members the wire looks at; all others only have to be valid. */
const READ_MEMBERS = new Set([
  "model",
  "stream",
  "tools",
  "instructions",
  "input",
  "text",
  "store",
  "background",
  "conversation",
  "previous_response_id",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
]);

/** Reads a Responses request. Only what `memo` does not know of its conversation, tools and instructions is parsed. */
export function readBody(body: Uint8Array, memo: ReadMemo): ReadOutcome {
  const text = toJsonBytes(body);
  const start = skipSpace(text, 0);
  if (text.bytes[start] !== OPEN_BRACE) return { ok: false, words: notObject(text, start) };
  const top: Top = { members: new Map(), twice: new Set(), list: createEntryList(ENTRIES) };
  const end = visitMembers(text, start, (key, valueStart) => visitMember(text, key, valueStart, memo, top));
  if (end < 0) return { ok: false, words: failureAt(text, ~end).words };
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return { ok: false, words: failureAt(text, rest).words };
  return readTop(text, top, end - 1, memo);
}

function visitMember(text: JsonBytes, key: string, start: number, memo: ReadMemo, top: Top): number {
  if (key === "input") top.list = createEntryList(ENTRIES);
  const isList = key === "input" && text.bytes[start] === OPEN_BRACKET;
  const end = isList ? visitEntries(text, start, memo, top.list) : skipValue(text, start);
  if (top.members.has(key)) top.twice.add(key);
  if (READ_MEMBERS.has(key)) top.members.set(key, { start, end });
  return end;
}

function readTop(text: JsonBytes, top: Top, close: number, memo: ReadMemo): ReadOutcome {
  const input = top.members.get("input");
  const kind = input === undefined ? null : kindOf(text, input);
  if (input === undefined || (kind !== "array" && kind !== "string")) {
    return { ok: false, words: `input: expected an array or a string, got ${namedKind(text, input)}` };
  }
  const read = kind === "array" ? readList(text, top, memo) : readString(text, input);
  const sessionId = nameAt(text, top.members.get("prompt_cache_key")) || null;
  const fields = fieldsOf(top, input, close);
  return { ok: true, source: createSource({ text, members: top.members, sessionId, fields, read }, memo) };
}

function fieldsOf({ members, twice }: Top, input: Span, close: number): Fields {
  const onceOf = (name: string) => (twice.has(name) ? null : (members.get(name) ?? null));
  return { input, isInputTwice: twice.has("input"), tools: onceOf("tools"), isToolsTwice: twice.has("tools"), close };
}

function readList(text: JsonBytes, { list, twice }: Top, memo: ReadMemo): ReadEntries {
  const { spans, history } = list;
  const originals = new Map<Seed, Original>();
  const entries = list.found.map((one) => {
    if (isKnown(one)) return one;
    const read = readEntry(one);
    for (const [seed, original] of read.originals) originals.set(seed, original);
    return read.entry;
  });
  // Of two lists nobody can tell which one counts.
  const sealedEnd = twice.has("input") ? entries.length : 0;
  const sharedCount = history?.sealedEnd === sealedEnd ? list.sharedCount : 0;
  const placement = continuePlacement(history?.placement ?? null, sharedCount);
  const openings = openingCount(entries);
  placeEntries(placement, entries, { openings, sealedEnd });
  rememberHistory(text, memo, list, { spans, entries, placement, sealedEnd });
  return { entries, spans, placement, originals, openings };
}

/** A string is what a user says. */
function readString(text: JsonBytes, span: Span): ReadEntries {
  const draft = createDraft();
  const start = { start: 0, end: span.end - span.start };
  addText(toJsonBytes(text.bytes.subarray(span.start)), start, 0, draft);
  const { seeds, breakpoints, originals } = draft;
  const entry: ResponsesSeed = { kind: "openai-responses-entry", speaker: "user", opening: null, seeds, breakpoints };
  const placement = continuePlacement(null, 0);
  placeEntries(placement, [entry], { openings: 0, sealedEnd: 0 });
  return { entries: [entry], spans: [span], placement, originals, openings: 0 };
}

function notObject(text: JsonBytes, start: number): string {
  const end = skipValue(text, start);
  if (end < 0) return failureAt(text, ~end).words;
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return failureAt(text, rest).words;
  return `body: expected an object, got ${namedKind(text, { start, end })}`;
}
