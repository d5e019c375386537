import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { Role } from "../../model/item.ts";
import type { ReadMemo, WireSource } from "../../model/ports.ts";
import type { Breakpoint } from "../../model/transcript.ts";
import { createLookups, type Lookups } from "../shared/lookups.ts";
import { BREAKPOINT_TTL_MS, type PromptCaching, promptCachingOf } from "../shared/openai-cache.ts";
import type { Original } from "../shared/origin.ts";
import type { PlacedEntry, Placement } from "../shared/placement.ts";
import type { Seed } from "../shared/seed.ts";
import { readHeader } from "./header.ts";
import type { ResponsesSeed } from "./seed.ts";

/** Where the body takes members of its own. */
export interface Fields {
  /** The conversation. */
  readonly input: Span;
  readonly isInputTwice: boolean;
  /** Null where none or more than one is stated. */
  readonly tools: Span | null;
  readonly isToolsTwice: boolean;
  /** The brace that closes the body. */
  readonly close: number;
}

/** The conversation of a body. */
export interface ReadEntries {
  readonly entries: readonly ResponsesSeed[];
  /** Where each entry stands. */
  readonly spans: readonly Span[];
  readonly placement: Placement;
  /** Originals made while reading. */
  readonly originals: ReadonlyMap<Seed, Original>;
  /** Entries at its head that belong to the header. */
  readonly openings: number;
}

/** A body this wire read, with the places of what can be replaced. */
export interface ResponsesSource extends WireSource {
  readonly wire: "openai-responses";
  readonly text: JsonBytes;
  readonly members: ReadonlyMap<string, Span>;
  readonly fields: Fields;
  readonly read: ReadEntries;
  readonly placeOf: Lookups["placeOf"];
}

/** What a message is made of. */
export interface MessageEntries {
  readonly role: Role;
  readonly spans: readonly Span[];
}

interface SourceParts {
  readonly text: JsonBytes;
  /** Members of the body by name. */
  readonly members: ReadonlyMap<string, Span>;
  readonly sessionId: string | null;
  readonly fields: Fields;
  readonly read: ReadEntries;
}

/** Looks originals and texts up on demand; decoded texts are kept for as long as the source lives. */
export function createSource({ text, members, sessionId, fields, read }: SourceParts, memo: ReadMemo): ResponsesSource {
  const { placement, spans, originals } = read;
  const { placeOf, originalOf, textOf } = createLookups({ text, placement, spans, originals });
  const caching = promptCachingOf(text, members);
  const breakpoints = breakpointsOf(read, caching);
  const heads = read.entries.slice(0, read.openings);
  const headBreakpoints = heads.reduce((total, entry) => total + entry.breakpoints.length, 0);
  const hasBreakpoints = caching.marksEnd || breakpoints.length + headBreakpoints > 0;
  const ground = {
    openings: heads.flatMap(({ opening }) => opening ?? []),
    openingBytes: spans.slice(0, read.openings).reduce((total, { start, end }) => total + end - start, 0),
    headBreakpoints,
    cacheTtlMs: hasBreakpoints ? caching.longestTtlMs : null,
  };
  const header = readHeader(text, members, ground, memo);
  const { messages, items } = placement;
  return {
    wire: "openai-responses",
    transcript: { header, messages, items, breakpoints },
    sessionId,
    originalOf,
    textOf,
    canMark: () => false,
    takesDrop: false,
    text,
    members,
    fields,
    read,
    placeOf,
  };
}

/** Those that the client put behind the header, and the provider's own at the end. */
function breakpointsOf(
  { entries, placement, openings }: ReadEntries,
  { marksEnd }: PromptCaching,
): readonly Breakpoint[] {
  const breakpoints: Breakpoint[] = [];
  for (const [index, entry] of entries.entries()) {
    const before = placement.entries[index - 1]?.itemEnd ?? 0;
    if (index < openings) continue;
    for (const { itemCount, ttlMs } of entry.breakpoints) breakpoints.push({ itemCount: before + itemCount, ttlMs });
  }
  const end = placement.items.length;
  const isMarked = end === 0 || breakpoints.at(-1)?.itemCount === end;
  if (marksEnd && !isMarked) breakpoints.push({ itemCount: end, ttlMs: BREAKPOINT_TTL_MS });
  return breakpoints;
}

/** The entries of a message; null where the body has no such message. */
export function entriesOf({ read, transcript }: ResponsesSource, messageIndex: number): MessageEntries | null {
  const message = transcript.messages[messageIndex];
  if (message === undefined) return null;
  const { entries } = read.placement;
  const start = firstOf(entries, messageIndex);
  const end = firstOf(entries, messageIndex + 1);
  return { role: message.role, spans: read.spans.slice(start, end) };
}

/** Index of the first entry of a message or one behind it. */
function firstOf(entries: readonly PlacedEntry[], messageIndex: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.messageIndex ?? 0) < messageIndex) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Narrows a source to one this wire made. */
export function isResponsesSource(source: WireSource): source is ResponsesSource {
  return "wire" in source && source.wire === "openai-responses";
}
