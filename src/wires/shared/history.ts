import { sha256Hex } from "../../lib/hash.ts";
import { type JsonBytes, type Span, toJsonBytes } from "../../lib/json-scan.ts";
import { visitElements } from "../../lib/json-spans.ts";
import type { Digest } from "../../model/item.ts";
import type { ReadMemo } from "../../model/ports.ts";
import type { Placement } from "./placement.ts";
import { type EntrySeed, recallSeed } from "./seed.ts";

/** How a wire reads the elements of the list that holds its conversation. */
export interface EntryReader<Seeded extends EntrySeed, Outline extends EntryOutline> {
  /** Of every seed it makes; what is remembered under another one is none of its own. */
  readonly kind: Seeded["kind"];
  /** Finds the parts of the entry that `text` begins with; a failure, as of `skipValue`, where it is no valid JSON. */
  outline(text: JsonBytes): Outline | number;
  /** True for what begins every conversation of one agent alike, as a system prompt does: it tells none apart. */
  isOpening(outline: Outline): boolean;
}

/** An entry by its parts, before any of them is read. It has no `seeds`. */
export interface EntryOutline {
  /** Begins with 0. */
  readonly span: Span;
}

/** A conversation as one of its last bodies had it. What a later body repeats byte for byte needs no scan. */
interface History<Seeded> {
  readonly bytes: Buffer;
  readonly spans: readonly Span[];
  readonly entries: readonly Seeded[];
  readonly placement: Placement;
  /** Entries before this index were sealed when they were placed. */
  readonly sealedEnd: number;
}

/** The last bodies of a conversation that do not go on with each other: as its client sends it, and with asides in it. */
interface HistoriesSeed<Seeded> {
  readonly kind: string;
  /** The last one first. */
  readonly histories: readonly History<Seeded>[];
}

/** The entries of a body: where each stands, and either what is known of it or its parts. */
export interface EntryList<Seeded extends EntrySeed, Outline extends EntryOutline> {
  readonly reader: EntryReader<Seeded, Outline>;
  readonly spans: Span[];
  readonly found: (Seeded | Outline)[];
  /** What tells the conversation apart: up to and including its first entry that is no opening. Null before that. */
  identity: Span | null;
  /** What was remembered of the conversation, and how many entries at its head are repeated without a difference. */
  history: History<Seeded> | null;
  sharedCount: number;
  /** Its other bodies. */
  others: readonly History<Seeded>[];
}

const CLOSE_BRACE = 0x7d;
const HISTORIES_MAX = 2;
/** Entries at the end of a body that the next one may have in another form, as where a breakpoint moved on. */
const TAIL_ENTRIES_MAX = 4;
/** Rough memory of one item's facts, in bytes; they are kept beside the body. */
const ITEM_BYTES = 1_024;

/** An empty list. */
export function createEntryList<Seeded extends EntrySeed, Outline extends EntryOutline>(
  reader: EntryReader<Seeded, Outline>,
): EntryList<Seeded, Outline> {
  return { reader, spans: [], found: [], identity: null, history: null, sharedCount: 0, others: [] };
}

/** Walks the list at `start` into `list` and answers its end, or a failure. */
export function visitEntries<Seeded extends EntrySeed, Outline extends EntryOutline>(
  text: JsonBytes,
  start: number,
  memo: ReadMemo,
  list: EntryList<Seeded, Outline>,
): number {
  return visitElements(text, start, (valueStart, index) => {
    const end = endOfRepeated(text, valueStart, list.history, index) ?? endInOther(text, valueStart, list, index);
    const known = end === null ? undefined : list.history?.entries[index];
    if (end === null || known === undefined) return scanEntry(text, valueStart, memo, list);
    addEntry(list, { start: valueStart, end }, known);
    return end;
  });
}

/** Names what kind of thing a found entry is. */
export function isKnown<Seeded extends EntrySeed, Outline extends EntryOutline>(
  found: Seeded | Outline,
): found is Seeded {
  return "seeds" in found;
}

/** Remembers a body that was read, in the place of the one that it goes on with. */
export function rememberHistory<Seeded extends EntrySeed, Outline extends EntryOutline>(
  text: JsonBytes,
  memo: ReadMemo,
  list: EntryList<Seeded, Outline>,
  read: Omit<History<Seeded>, "bytes">,
): void {
  const { reader, identity, history, sharedCount, others } = list;
  if (identity === null) return;
  const isContinued = history === null || history.entries.length - sharedCount <= TAIL_ENTRIES_MAX;
  const before = isContinued ? others : [history, ...others];
  const histories = [{ bytes: text.bytes, ...read }, ...before].slice(0, HISTORIES_MAX);
  const heldBytes = histories.reduce((sum, one) => sum + heldBytesOf(one), 0);
  memo.set(historyDigest(text, identity, reader.kind), { kind: historiesOf(reader.kind), histories }, heldBytes);
}

function heldBytesOf({ bytes, placement }: Pick<History<unknown>, "bytes" | "placement">): number {
  return bytes.length + placement.items.length * ITEM_BYTES;
}

function historiesOf(kind: string): string {
  return `${kind} histories`;
}

/** Conversations are told apart by how they begin, byte for byte. */
function historyDigest(text: JsonBytes, { start, end }: Span, kind: string): Digest {
  return sha256Hex(`${kind} history:${sha256Hex(text.bytes.subarray(start, end))}`);
}

/**
 * Where the entry at `start` ends, if its bytes are those of the remembered body at the same index. An object ends with
 * its brace, whatever follows it: so the same bytes are the same entry.
 */
function endOfRepeated(
  text: JsonBytes,
  start: number,
  history: Pick<History<unknown>, "bytes" | "spans"> | null,
  index: number,
): number | null {
  const before = history?.spans[index];
  if (before === undefined || history === null) return null;
  const end = start + before.end - before.start;
  if (text.bytes[end - 1] !== CLOSE_BRACE) return null;
  return text.bytes.compare(history.bytes, before.start, before.end, start, end) === 0 ? end : null;
}

/** The same in another body of the conversation, which shares everything in front of it as well: then it is the one to go on with. */
function endInOther<Seeded extends EntrySeed, Outline extends EntryOutline>(
  text: JsonBytes,
  start: number,
  list: EntryList<Seeded, Outline>,
  index: number,
): number | null {
  const { history, spans, others, sharedCount } = list;
  if (history === null || sharedCount < index) return null;
  const isShared = (other: History<Seeded>) =>
    endOfRepeated(text, start, other, index) !== null &&
    spans.every((span, at) => endOfRepeated(text, span.start, other, at) === span.end);
  const other = others.find(isShared);
  if (other === undefined) return null;
  list.history = other;
  list.others = [history, ...others.filter((one) => one !== other)];
  return endOfRepeated(text, start, other, index);
}

function scanEntry<Seeded extends EntrySeed, Outline extends EntryOutline>(
  text: JsonBytes,
  start: number,
  memo: ReadMemo,
  list: EntryList<Seeded, Outline>,
): number {
  const outline = list.reader.outline(toJsonBytes(text.bytes.subarray(start)));
  if (typeof outline === "number") return ~(~outline + start);
  const span = { start, end: start + outline.span.end };
  addEntry(list, span, outline);
  const first = list.spans[0] ?? span;
  if (list.identity === null && !list.reader.isOpening(outline)) {
    list.identity = { start: first.start, end: span.end };
    recallHistories(text, list.identity, memo, list);
    takeKnown(text, list);
  }
  return span.end;
}

/** What was scanned before the conversation was known gives way to what is known of it. */
function takeKnown<Seeded extends EntrySeed, Outline extends EntryOutline>(
  text: JsonBytes,
  list: EntryList<Seeded, Outline>,
): void {
  for (const [at, { start, end }] of list.spans.entries()) {
    const known = list.history?.entries[at];
    if (known === undefined || endOfRepeated(text, start, list.history, at) !== end) return;
    list.found[at] = known;
    list.sharedCount = at + 1;
  }
}

function recallHistories<Seeded extends EntrySeed, Outline extends EntryOutline>(
  text: JsonBytes,
  identity: Span,
  memo: ReadMemo,
  list: EntryList<Seeded, Outline>,
): void {
  const known = recallSeed<HistoriesSeed<Seeded>>(
    memo.get(historyDigest(text, identity, list.reader.kind)),
    historiesOf(list.reader.kind),
  );
  const [last, ...others] = known?.histories ?? [];
  list.history = last ?? null;
  list.others = others;
}

function addEntry<Seeded extends EntrySeed, Outline extends EntryOutline>(
  list: EntryList<Seeded, Outline>,
  span: Span,
  found: Seeded | Outline,
): void {
  if (isKnown(found) && list.sharedCount === list.spans.length) list.sharedCount += 1;
  list.spans.push(span);
  list.found.push(found);
}
