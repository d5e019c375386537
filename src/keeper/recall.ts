import { labelText } from "../engine/marker.ts";
import {
  fileLines,
  parseRange,
  type SelectedLine,
  selectLines,
  textLines,
  withoutNumber,
} from "../engine/selection.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { decodeWtf8 } from "../lib/wtf8.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { PatternEngine } from "../model/ports.ts";
import type { FoundItem, Store, StoredOriginal } from "../model/store.ts";
import type { SizeBound } from "../model/view.ts";
import type { Accounting } from "./accounting.ts";
import type { Note } from "./append.ts";
import type { RecallAnswer, RecallQuery } from "./contract.ts";
import { readOriginal } from "./read-original.ts";
import { renderAnswer } from "./recall-answer.ts";
import { chooseItem, failure } from "./recall-choice.ts";

export interface RecallDesk {
  readonly store: Store;
  readonly patterns: PatternEngine;
  /** Caps one answer. */
  readonly bound: SizeBound;
  readonly accounting: Accounting;
  append(note: Note): Promise<void>;
  /** Resolves when no original is on its way to the store any more. */
  whenStored(): Promise<void>;
}

/** The stored original of an item, whole or in part; every failure says which one it is. Never throws for the store. */
export async function recallItem(query: RecallQuery, desk: RecallDesk): Promise<RecallAnswer> {
  try {
    const found = await chooseItem(query, desk.store);
    if ("ok" in found) return found;
    const answer = await answerOf(query, found.item, desk);
    if (answer.ok) await noteRecall(query, found, desk);
    return answer;
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    desk.accounting.noteError(query.atMs, error.code, error.message);
    return failure("store unavailable", error.message);
  }
}

async function answerOf(query: RecallQuery, item: ItemRecord, desk: RecallDesk): Promise<RecallAnswer> {
  if (!item.isStored) {
    return failure("not stored", `a never_store rule keeps the original of ${query.id} out of the store`);
  }
  const place = { tenant: query.tenant, digest: item.digest };
  const original = await readOriginal(place, desk.store, desk.whenStored);
  if (original.state !== "present") return problemOf(query.id, original);
  return item.kind === "media" ? attachmentOf(query, item, original.bytes) : sliceOf(query, item, original.bytes, desk);
}

function attachmentOf(query: RecallQuery, item: ItemRecord, raw: Uint8Array): RecallAnswer {
  if (query.range !== null || query.pattern !== null) {
    return failure("attachment cannot be sliced", "an attachment comes back whole: leave out range and pattern");
  }
  const text = `[ebb ${item.address}] ${labelText(item.label)}, ${item.mediaType}, ${item.bytes} bytes`;
  return { ok: true, item, text, raw };
}

function sliceOf(query: RecallQuery, item: ItemRecord, raw: Uint8Array, desk: RecallDesk): RecallAnswer {
  const range = parseRange(query.range);
  if (!range.ok) return failure("bad range", range.words);
  const text = decodeWtf8(raw);
  if (text === "") return failure("empty result", `the original of ${query.id} is empty`);
  const numbered = item.label.lineStart === null ? null : fileLines(text, item.label.lineStart);
  const isNumbered = numbered !== null;
  const matcher = matcherOf(query, isNumbered, desk.patterns);
  if ("ok" in matcher) return matcher;
  const allLines = numbered ?? textLines(text);
  const { selection } = range;
  const lines = selectLines(allLines, selection).filter((line) => matcher.matches(text, line));
  const { pattern } = query;
  const { bound } = desk;
  return {
    ok: true,
    item,
    raw,
    text: renderAnswer({ item, text, allLines, lines, isNumbered, selection, pattern, bound }),
  };
}

type Matcher = { matches(text: string, line: SelectedLine): boolean };

/** Tests a line as the file has it: without its line end and without a number printed before it. */
function matcherOf(query: RecallQuery, isNumbered: boolean, patterns: PatternEngine): Matcher | RecallAnswer {
  if (query.pattern === null) return { matches: () => true };
  const compiled = patterns.compile(query.pattern, query.ignoreCase);
  if (!compiled.ok) return failure("bad pattern", compiled.words);
  return {
    matches(text, { start, end }) {
      const line = text.slice(start, end).replace(/\r?\n$/, "");
      return compiled.test(isNumbered ? withoutNumber(line) : line);
    },
  };
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
