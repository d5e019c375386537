import { failureAt, type JsonBytes, type Span, skipSpace, skipValue, toJsonBytes } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import type { ReadMemo, ReadOutcome, WireRoute } from "../../model/ports.ts";
import {
  createEntryList,
  type EntryList,
  type EntryReader,
  isKnown,
  rememberHistory,
  visitEntries,
} from "../shared/history.ts";
import { createLookups } from "../shared/lookups.ts";
import type { Original } from "../shared/origin.ts";
import { continuePlacement, type Placement, placeMessage } from "../shared/placement.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import { namedKind } from "../shared/value.ts";
import { bindCalls } from "./bind.ts";
import { readContent } from "./content.ts";
import { readHeader } from "./header.ts";
import { openCallsAt } from "./open-calls.ts";
import { type ContentOutline, outlineContent } from "./outline.ts";
import type { ContentSeed } from "./seed.ts";
import type { GeminiSource } from "./source.ts";

type Contents = EntryList<ContentSeed, ContentOutline>;

/** The members of a body, and its contents. */
interface Top {
  readonly members: Map<string, Span>;
  /** The contents came twice: nobody can tell which count. */
  isTwice: boolean;
  list: Contents;
}

const CONTENTS: EntryReader<ContentSeed, ContentOutline> = {
  kind: "gemini-content",
  outline: outlineContent,
  isOpening: () => false,
};
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** Members the wire looks at; all others only have to be valid. */
const READ_MEMBERS = new Set([
  "model",
  "tools",
  "systemInstruction",
  "system_instruction",
  "cachedContent",
  "cached_content",
  "contents",
]);

/** Reads a request of the Gemini API. Only what `memo` does not know of its conversation is parsed. */
export function readBody(body: Uint8Array, memo: ReadMemo, route: WireRoute | null = null): ReadOutcome {
  const text = toJsonBytes(body);
  const start = skipSpace(text, 0);
  if (text.bytes[start] !== OPEN_BRACE) return { ok: false, words: notObject(text, start) };
  const top: Top = { members: new Map(), isTwice: false, list: createEntryList(CONTENTS) };
  const end = visitMembers(text, start, (key, valueStart) => visitMember(text, key, valueStart, memo, top));
  if (end < 0) return { ok: false, words: failureAt(text, ~end).words };
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return { ok: false, words: failureAt(text, rest).words };
  const list = top.members.get("contents");
  if (list === undefined || text.bytes[list.start] !== OPEN_BRACKET) {
    return { ok: false, words: `contents: expected an array, got ${namedKind(text, list)}` };
  }
  return { ok: true, source: readTop(text, top, memo, route) };
}

function visitMember(text: JsonBytes, key: string, start: number, memo: ReadMemo, top: Top): number {
  const isContents = key === "contents";
  if (isContents) top.list = createEntryList(CONTENTS);
  const isList = isContents && text.bytes[start] === OPEN_BRACKET;
  const end = isList ? visitEntries(text, start, memo, top.list) : skipValue(text, start);
  if (isContents && top.members.has(key)) top.isTwice = true;
  if (READ_MEMBERS.has(key)) top.members.set(key, { start, end });
  return end;
}

function readTop(
  text: JsonBytes,
  { members, list, isTwice }: Top,
  memo: ReadMemo,
  route: WireRoute | null,
): GeminiSource {
  const { spans, history } = list;
  const { contents, originals } = readContents(list);
  const sealedEnd = isTwice ? contents.length : 0;
  const placement = continuePlacement(
    history?.placement ?? null,
    history?.sealedEnd === sealedEnd ? list.sharedCount : 0,
  );
  placeContents(placement, contents, originals, isTwice);
  rememberHistory(text, memo, list, { spans, entries: contents, placement, sealedEnd });
  const header = readHeader(text, members, memo, route);
  const { messages, items } = placement;
  return {
    wire: "gemini",
    transcript: { header, messages, items, breakpoints: [] },
    sessionId: null,
    canMark: () => false,
    takesDrop: false,
    ...createLookups({ text, placement, spans, originals }),
  };
}

function readContents({ found }: Contents): {
  readonly contents: readonly ContentSeed[];
  readonly originals: Map<Seed, Original>;
} {
  const originals = new Map<Seed, Original>();
  const contents = found.map((one) => {
    if (isKnown(one)) return one;
    const read = readContent(one);
    for (const [seed, original] of read.originals) originals.set(seed, original);
    return read.content;
  });
  return { contents, originals };
}

/** Places what is not placed yet. */
function placeContents(
  placement: Placement,
  contents: readonly ContentSeed[],
  originals: Map<Seed, Original>,
  isSealed: boolean,
): void {
  const open = openCallsAt(placement);
  for (const content of contents.slice(placement.entries.length)) {
    const seeds = bindCalls(placement, content, open, originals);
    placeMessage(placement, content.role, isSealed ? seeds.map(sealSeed) : seeds);
  }
}

function notObject(text: JsonBytes, start: number): string {
  const end = skipValue(text, start);
  if (end < 0) return failureAt(text, ~end).words;
  const rest = skipSpace(text, end);
  if (rest < text.bytes.length) return failureAt(text, rest).words;
  return `body: expected an object, got ${namedKind(text, { start, end })}`;
}
