import { failureAt, type JsonBytes, type Span, skipSpace, skipValue } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import type { ReadMemo } from "../../model/ports.ts";
import {
  createEntryList,
  type EntryList,
  type EntryOutline,
  type EntryReader,
  isKnown,
  visitEntries,
} from "./history.ts";
import type { Original } from "./origin.ts";
import type { EntrySeed, Seed } from "./seed.ts";
import { namedKind } from "./value.ts";

/** What a wire looks at in a body. */
export interface BodyForm<Seeded extends EntrySeed, Outline extends EntryOutline> {
  readonly reader: EntryReader<Seeded, Outline>;
  /** Member whose elements are the entries. */
  readonly listName: string;
  /** Members the wire looks at, that one among them; all others only have to be valid. */
  readonly members: ReadonlySet<string>;
}

/** The members of a body, and its entries. */
export interface Top<Seeded extends EntrySeed, Outline extends EntryOutline> {
  /** The last one where a member came twice. */
  readonly members: ReadonlyMap<string, Span>;
  readonly twice: ReadonlySet<string>;
  readonly list: EntryList<Seeded, Outline>;
  /** The brace that closes the body. */
  readonly close: number;
}

/** A body's members, or in words what is wrong with it. */
export type TopOutcome<Seeded extends EntrySeed, Outline extends EntryOutline> =
  | { readonly ok: true; readonly top: Top<Seeded, Outline> }
  | { readonly ok: false; readonly words: string };

/** Entries that were read, and the originals that were made on the way. */
export interface ReadFound<Seeded> {
  readonly entries: readonly Seeded[];
  readonly originals: Map<Seed, Original>;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Finds the members of a body in one pass. Entries that `memo` knows of the conversation are not scanned again. */
export function findTop<Seeded extends EntrySeed, Outline extends EntryOutline>(
  text: JsonBytes,
  memo: ReadMemo,
  { reader, listName, members: looked }: BodyForm<Seeded, Outline>,
): TopOutcome<Seeded, Outline> {
  const start = skipSpace(text, 0);
  if (text.bytes[start] !== OPEN_BRACE) return { ok: false, words: notObject(text, start) };
  const members = new Map<string, Span>();
  const twice = new Set<string>();
  let list = createEntryList(reader);
  const end = visitMembers(text, start, (key, valueStart) => {
    const isOwn = key === listName;
    if (isOwn) list = createEntryList(reader);
    const isList = isOwn && text.bytes[valueStart] === OPEN_BRACKET;
    const valueEnd = isList ? visitEntries(text, valueStart, memo, list) : skipValue(text, valueStart);
    if (members.has(key)) twice.add(key);
    if (looked.has(key)) members.set(key, { start: valueStart, end: valueEnd });
    return valueEnd;
  });
  if (end < 0) return { ok: false, words: failureAt(text, ~end).words };
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return { ok: false, words: failureAt(text, rest).words };
  return { ok: true, top: { members, twice, list, close: end - 1 } };
}

/** True for a value that is a list. */
export function isListAt(text: JsonBytes, span: Span | undefined): span is Span {
  return span !== undefined && text.bytes[span.start] === OPEN_BRACKET;
}

/** Reads the entries that are not known yet. */
export function readFound<Seeded extends EntrySeed, Outline extends EntryOutline>(
  { found }: EntryList<Seeded, Outline>,
  read: (outline: Outline) => { readonly entry: Seeded; readonly originals: ReadonlyMap<Seed, Original> },
): ReadFound<Seeded> {
  const originals = new Map<Seed, Original>();
  const entries = found.map((one) => {
    if (isKnown(one)) return one;
    const { entry, originals: made } = read(one);
    for (const [seed, original] of made) originals.set(seed, original);
    return entry;
  });
  return { entries, originals };
}

function notObject(text: JsonBytes, start: number): string {
  const end = skipValue(text, start);
  if (end < 0) return failureAt(text, ~end).words;
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return failureAt(text, rest).words;
  return `body: expected an object, got ${namedKind(text, { start, end })}`;
}
