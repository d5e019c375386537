import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import type { ReadMemo, ReadOutcome } from "../../model/ports.ts";
import { rememberHistory } from "../shared/history.ts";
import { continuePlacement } from "../shared/placement.ts";
import { addText } from "../shared/text.ts";
import { type BodyForm, findTop, readFound, type Top } from "../shared/top.ts";
import { kindOf, nameAt, namedKind } from "../shared/value.ts";
import { createDraft } from "./draft.ts";
import { isOpening, readEntry } from "./entry.ts";
import { type Outline, outlineEntry } from "./outline.ts";
import { openingCount, placeEntries } from "./place.ts";
import type { ResponsesSeed } from "./seed.ts";
import { createSource, type Fields, type ReadEntries } from "./source.ts";

type ResponsesTop = Top<ResponsesSeed, Outline>;

const FORM: BodyForm<ResponsesSeed, Outline> = {
  reader: { kind: "openai-responses-entry", outline: outlineEntry, isOpening },
  listName: "input",
  members: new Set([
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
  ]),
};

/** Reads a Responses request. Only what `memo` does not know of its conversation, tools and instructions is parsed. */
export function readBody(body: Uint8Array, memo: ReadMemo): ReadOutcome {
  const text = toJsonBytes(body);
  const found = findTop(text, memo, FORM);
  return found.ok ? readTop(text, found.top, memo) : found;
}

function readTop(text: JsonBytes, top: ResponsesTop, memo: ReadMemo): ReadOutcome {
  const input = top.members.get("input");
  const kind = input === undefined ? null : kindOf(text, input);
  if (input === undefined || (kind !== "array" && kind !== "string")) {
    return { ok: false, words: `input: expected an array or a string, got ${namedKind(text, input)}` };
  }
  const read = kind === "array" ? readList(text, top, memo) : readString(text, input);
  const sessionId = nameAt(text, top.members.get("prompt_cache_key")) || null;
  const fields = fieldsOf(top, input);
  return { ok: true, source: createSource({ text, members: top.members, sessionId, fields, read }, memo) };
}

function fieldsOf({ members, twice, close }: ResponsesTop, input: Span): Fields {
  const onceOf = (name: string) => (twice.has(name) ? null : (members.get(name) ?? null));
  return { input, isInputTwice: twice.has("input"), tools: onceOf("tools"), isToolsTwice: twice.has("tools"), close };
}

function readList(text: JsonBytes, { list, twice }: ResponsesTop, memo: ReadMemo): ReadEntries {
  const { spans, history } = list;
  const { entries, originals } = readFound(list, readEntry);
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
