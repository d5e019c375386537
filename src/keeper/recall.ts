import { labelText } from "../engine/marker.ts";
import { isWhole, parseRange } from "../engine/selection.ts";
import { type NumberedText, numberLines, textLines } from "../engine/selection-lines.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { decodeWtf8, encodeWtf8 } from "../lib/wtf8.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { PatternEngine } from "../model/ports.ts";
import type { FoundItem, Store, StoredOriginal } from "../model/store.ts";
import type { SizeBound } from "../model/view.ts";
import type { Accounting } from "./accounting.ts";
import type { Note } from "./append.ts";
import type { RecallAnswer, RecallQuery } from "./contract.ts";
import { readOriginal } from "./read-original.ts";
import { type AnswerInput, renderAnswer } from "./recall-answer.ts";
import { noteOnChange } from "./recall-change.ts";
import { chooseItem, failure } from "./recall-choice.ts";
import { indexOf } from "./recall-index.ts";
import { SEARCH_STEPS_MAX } from "./recall-search.ts";

export interface RecallDesk {
  readonly store: Store;
  readonly patterns: PatternEngine;
  /** Caps one answer. */
  readonly bound: SizeBound;
  readonly accounting: Pick<Accounting, "noteRecall" | "noteError">;
  append(note: Note): Promise<void>;
  /** Resolves when no original is on its way to the store any more. */
  whenStored(): Promise<void>;
}

/** The id under which a recall lists what left. */
export const INDEX_ID = "index";

/** The stored original of an item, whole or in part, or the index; every failure says which one it is. Never throws for the store. */
export async function recallItem(query: RecallQuery, desk: RecallDesk): Promise<RecallAnswer> {
  try {
    if (query.id === INDEX_ID) return await answerIndex(query, desk);
    const found = await chooseItem(query, desk.store);
    if ("ok" in found) return found;
    const answer = await answerOf(query, found, desk);
    if (answer.ok) await noteRecall(query, found, desk);
    return answer;
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    desk.accounting.noteError(query.atMs, error.code, error.message);
    return failure("store unavailable", error.message);
  }
}

async function answerIndex(query: RecallQuery, desk: RecallDesk): Promise<RecallAnswer> {
  const index = await indexOf(query, desk.store);
  if ("ok" in index) return index;
  const raw = encodeWtf8(index.text);
  if (index.text === "") return { ok: true, item: null, text: `[ebb ${INDEX_ID}] ${index.title}: nothing`, raw };
  const title = `[ebb ${INDEX_ID}] ${index.title}, newest first`;
  const text = sliceOf(query, { title, note: null, text: textLines(index.text) }, desk);
  return typeof text === "string" ? { ok: true, item: null, text, raw } : text;
}

async function answerOf(query: RecallQuery, found: FoundItem, desk: RecallDesk): Promise<RecallAnswer> {
  const { item } = found;
  if (!item.isStored) {
    return failure("not stored", `a never_store rule keeps the original of ${query.id} out of the store`);
  }
  if (item.kind === "media" && (query.pattern !== null || !isWhole(query.range))) {
    return failure("attachment cannot be sliced", "an attachment comes back whole: leave out range and pattern");
  }
  const place = { tenant: query.tenant, digest: item.digest };
  const original = await readOriginal(place, desk.store, desk.whenStored);
  if (original.state !== "present") return problemOf(query.id, original);
  const raw = original.bytes;
  const note = await noteOnChange(query.tenant, found, desk.store);
  if (item.kind === "media") return { ok: true, item, text: attachmentText(item, note), raw };
  const numbered = numberLines(decodeWtf8(raw), item.label);
  const title = `[ebb ${item.address}] ${labelText(item.label)}`;
  const text = sliceOf(query, { title, note, text: numbered }, desk);
  return typeof text === "string" ? { ok: true, item, text, raw } : text;
}

function attachmentText(item: ItemRecord, note: string | null): string {
  const title = `[ebb ${item.address}] ${labelText(item.label)}, ${item.mediaType}, ${item.bytes} bytes`;
  return note === null ? title : `${title}\n${note}`;
}

type Source = Pick<AnswerInput, "title" | "note"> & { readonly text: NumberedText };

/** The part of a text that was asked for, under its title. */
function sliceOf(
  query: RecallQuery,
  source: Source,
  desk: RecallDesk,
): string | (RecallAnswer & { readonly ok: false }) {
  const range = parseRange(query.range);
  if (!range.ok) return failure("bad range", range.words);
  const { chars } = query;
  if (chars !== null && !(Number.isSafeInteger(chars) && chars >= 1)) {
    return failure("bad range", `chars: expected a whole number from 1, got ${chars}`);
  }
  const pattern = patternOf(query, desk.patterns);
  if (pattern !== null && "ok" in pattern) return pattern;
  if (source.text.text === "") return failure("empty result", `the original of ${query.id} is empty`);
  const { selection } = range;
  const { bound } = desk;
  const rendered = renderAnswer({ ...source, selection, pattern, bound, chars, stepsMax: SEARCH_STEPS_MAX });
  if (rendered.kind === "text") return rendered.text;
  return failure(
    "selects nothing",
    `none of the ${rendered.searched} lines asked for matches ${JSON.stringify(query.pattern)}`,
  );
}

function patternOf(
  { pattern, ignoreCase }: RecallQuery,
  patterns: PatternEngine,
): AnswerInput["pattern"] | (RecallAnswer & { readonly ok: false }) {
  if (pattern === null) return null;
  const compiled = patterns.compile(pattern, ignoreCase);
  return compiled.ok ? { source: pattern, compiled } : failure("bad pattern", compiled.words);
}

function problemOf(id: string, original: Exclude<StoredOriginal, { state: "present" }>): RecallAnswer {
  switch (original.state) {
    case "expired":
      return failure("expired by retention", `${id} expired by retention on ${new Date(original.atMs).toISOString()}`);
    case "purged":
      return failure("purged by the user", `${id} was purged on ${new Date(original.atMs).toISOString()}`);
    case "corrupt":
      return failure("damaged in store", `the stored bytes of ${id} do not match their digest`);
    case "unknown":
      return failure(
        "not stored",
        `the store never got the original of ${id}: its disk cap was reached, or Ebb ended first`,
      );
  }
}

/** An original that was read is handed out even where the ledger cannot take a note of it. */
async function noteRecall(query: RecallQuery, { item, lineage }: FoundItem, desk: RecallDesk): Promise<void> {
  desk.accounting.noteRecall();
  const { tenant, atMs, range, pattern, by } = query;
  const entry = { type: "item-recalled", address: item.address, range, pattern, by } as const;
  try {
    await desk.append({ tenant, lineage, atMs, entries: [entry] });
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    desk.accounting.noteError(atMs, error.code, error.message);
  }
}
