import type { CacheEntry, CachePlace, CountedPrompt } from "../model/cache.ts";
import type { Usage } from "../model/usage.ts";
import { type CacheName, type CacheSpan, joinedSpans, liveCount, nameOf } from "./caches.ts";
import { isCold } from "./moment.ts";

/** What requests on record left with the provider. */
export interface CacheEntries {
  /** By model and cache key; of a name in the order of their places. */
  readonly named: ReadonlyMap<string, readonly CacheEntry[]>;
  /** How far what is not kept here may reach, under any name. */
  readonly untold: CacheSpan | null;
  /** The last request that a response may still tell of. */
  readonly asked: { readonly requestId: string; readonly itemCount: number } | null;
  /** The last prompt that a response told the length of, where nothing in it changed since. */
  readonly counted: CountedPrompt | null;
}

/** A request as far as it reads and leaves entries. */
export interface MarkedRequest extends CacheName {
  readonly requestId: string;
  readonly atMs: number;
  readonly itemCount: number;
  readonly cacheTtlMs: number | null;
  /** Null where it is not known what it had. */
  readonly breakpoints: readonly CachePlace[] | null;
  /** Items in front of the first one that goes out in another form than before. */
  readonly sameCount: number;
  /** Where the entries end that it reads; left out where that is told by its breakpoints. */
  readonly found?: readonly EntryPlace[] | undefined;
}

/** Where an entry ends. Two that end at the same item have another prompt before them where the blocks differ. */
export type EntryPlace = Pick<CachePlace, "itemCount" | "blockCount" | "isWhole">;

/** Where a request has breakpoints, and the blocks up to each of its items. */
export interface CacheMarks {
  readonly places: readonly CachePlace[];
  readonly blockCounts: readonly number[];
}

/** Nothing was left. */
export const NO_ENTRIES: CacheEntries = { named: new Map(), untold: null, asked: null, counted: null };

/** Blocks a breakpoint looks at for an entry, its own included. Source: the provider's prompt caching page. */
export const LOOKBACK_BLOCKS = 20;

const NAMES_MAX = 8;
const ENTRIES_MAX = 256;

/** Entries of a name that still live, in the order of their places. */
export function liveEntries({ named }: CacheEntries, name: CacheName, atMs: number): readonly CacheEntry[] {
  return (named.get(nameOf(name)) ?? []).filter((entry) => isLive(entry, atMs));
}

/** The longest of these entries that a breakpoint finds, or a prompt begins with; null where there is none. */
export function entryFoundFrom(
  place: EntryPlace,
  entries: readonly CacheEntry[],
  lookbackBlocks = LOOKBACK_BLOCKS,
): CacheEntry | null {
  return entries.findLast((entry) => reaches(place, entry, lookbackBlocks)) ?? null;
}

/** Those of them that end behind what a request has before it as well: behind as many blocks. */
export function entriesWithin(entries: readonly CacheEntry[], blockCounts: readonly number[]): readonly CacheEntry[] {
  return entries.filter(({ itemCount, blockCount }) => blockCounts[itemCount] === blockCount);
}

/** A request as far as it reads entries. */
export interface ReadingRequest {
  readonly cache: CacheName;
  readonly breakpoints: CacheMarks;
  readonly atMs: number;
  /** Items at its head that stand as they were sent. */
  readonly sameCount: number;
}

/**
 * How many items at the head such a request may read at most: no more than the longest prefix that one of its breakpoints finds, and
 * what is not kept here.
 */
export function reachOf({ named, untold }: CacheEntries, request: ReadingRequest): number {
  const { cache, breakpoints, atMs, sameCount } = request;
  const { places, blockCounts } = breakpoints;
  const own = (named.get(nameOf(cache)) ?? []).filter((entry) => {
    return entry.itemCount <= sameCount && mayLive(entry, atMs);
  });
  const entries = entriesWithin(own, blockCounts);
  const found = places.map((place) => entryFoundFrom(place, entries)?.itemCount ?? 0);
  return Math.max(0, liveCount(untold, atMs), ...found);
}

/** What is left once a request went out: what changed in front of an entry ends it, whatever its name. */
export function withMarkedRequest(before: CacheEntries, request: MarkedRequest): CacheEntries {
  const { requestId, atMs, breakpoints, sameCount } = request;
  const asked = { requestId, itemCount: request.itemCount };
  const counted = before.counted !== null && before.counted.itemCount <= sameCount ? before.counted : null;
  if (breakpoints === null) {
    return { ...before, asked, counted, untold: joinedSpans(before.untold, spanOf(request)) };
  }
  const name = nameOf(request);
  const kept = new Map<string, readonly CacheEntry[]>();
  for (const [key, entries] of before.named) {
    const same = entries.filter(({ itemCount }) => itemCount <= sameCount);
    if (same.length > 0 && key !== name) kept.set(key, same);
  }
  let own = (before.named.get(name) ?? []).filter((entry) => entry.itemCount <= sameCount && mayLive(entry, atMs));
  const live = own.filter((entry) => isLive(entry, atMs));
  const found = request.found ?? breakpoints.map((place) => entryFoundFrom(place, live));
  const isFound = (entry: CacheEntry) => found.some((place) => place !== null && isSamePlace(place, entry));
  // A clock that went back makes nothing older than it is known to be.
  const usedAtMs = own.reduce((latest, entry) => Math.max(latest, entry.usedAtMs), atMs);
  own = own.map((entry) => (isLive(entry, atMs) && isFound(entry) ? { ...entry, usedAtMs } : entry));
  for (const place of breakpoints) {
    const known = own.find((entry) => isSamePlace(entry, place));
    if (known !== undefined && isLive(known, atMs)) continue;
    own = [...own.filter((entry) => entry !== known), { ...place, usedAtMs, tokens: null, requestId }];
  }
  kept.set(name, inOrder(own));
  return { ...bounded(kept, before.untold), asked, counted };
}

/**
 * What a response told: all its tokens are the prompt, and those read and written the prompt up to the last breakpoint. What the
 * provider remembers by itself is the prompt.
 */
export function withReportedUsage(before: CacheEntries, requestId: string, usage: Usage | null): CacheEntries {
  if (usage === null) return before;
  const cached = usage.cacheReadTokens + usage.cacheWriteTokens;
  const tokens = cached + usage.inputTokens;
  const isAsked = before.asked?.requestId === requestId && tokens > 0;
  const after = isAsked ? { ...before, counted: { itemCount: before.asked.itemCount, tokens } } : before;
  return tokens === 0 ? after : withEntryTokens(after, requestId, { cached, tokens });
}

function withEntryTokens(
  before: CacheEntries,
  requestId: string,
  { cached, tokens: whole }: { readonly cached: number; readonly tokens: number },
): CacheEntries {
  for (const [name, entries] of before.named) {
    const last = entries.findLast((entry) => entry.requestId === requestId);
    if (last === undefined) continue;
    // What it told is as long as its last breakpoint reached: further than this entry where that one was there before, or is gone.
    const isShorter = entries.some((one) => one.itemCount > last.itemCount && one.usedAtMs >= last.usedAtMs);
    const tokens = last.isWhole === true ? whole : isShorter ? 0 : cached;
    if (tokens === 0) return before;
    const told = entries.map((entry) => (entry === last ? { ...last, tokens } : entry));
    return { ...before, named: new Map(before.named).set(name, told) };
  }
  return before;
}

/** The same prefixes where something in them got another length, which no count of before tells. */
export function uncounted({ named, ...rest }: CacheEntries): CacheEntries {
  const without = Array.from(named, ([name, own]) => [name, own.map((entry) => ({ ...entry, tokens: null }))] as const);
  return { named: new Map(without), ...rest, counted: null };
}

/** What a history that shares the first items with another takes over of it. */
export function sharedEntries({ named, untold, counted }: CacheEntries, itemCount: number): CacheEntries {
  const shared = Array.from(named, ([name, own]) => {
    return [name, own.filter((entry) => entry.itemCount <= itemCount)] as const;
  });
  const span = untold === null ? null : { ...untold, itemCount: Math.min(untold.itemCount, itemCount) };
  const shorter = counted !== null && counted.itemCount <= itemCount ? counted : null;
  return { named: new Map(shared.filter(([, own]) => own.length > 0)), untold: span, asked: null, counted: shorter };
}

/** What is left where both are. */
export function mergedEntries(left: CacheEntries, right: CacheEntries): CacheEntries {
  const named = new Map(left.named);
  for (const [name, entries] of right.named) named.set(name, inOrder(joined(named.get(name) ?? [], entries)));
  return { ...bounded(named, joinedSpans(left.untold, right.untold)), asked: null, counted: null };
}

/** Of two that end at the same place the one that lives longer. */
function joined(left: readonly CacheEntry[], right: readonly CacheEntry[]): readonly CacheEntry[] {
  const byPlace = new Map(left.map((entry) => [placeName(entry), entry]));
  for (const entry of right) {
    const other = byPlace.get(placeName(entry));
    if (other === undefined || endOf(other) < endOf(entry)) byPlace.set(placeName(entry), entry);
  }
  return Array.from(byPlace.values());
}

function placeName({ itemCount, blockCount }: EntryPlace): string {
  return `${itemCount} ${blockCount}`;
}

function isSamePlace(left: EntryPlace, right: EntryPlace): boolean {
  return placeName(left) === placeName(right);
}

function spanOf({ itemCount, cacheTtlMs, atMs }: MarkedRequest): CacheSpan {
  return { itemCount, untilMs: cacheTtlMs === null ? null : atMs + cacheTtlMs };
}

function reaches(place: EntryPlace, entry: CacheEntry, lookbackBlocks: number): boolean {
  const back = place.blockCount - entry.blockCount;
  return entry.itemCount <= place.itemCount && (place.isWhole === true || back < lookbackBlocks);
}

function endOf({ usedAtMs, ttlMs }: CacheEntry): number {
  return usedAtMs + ttlMs;
}

function isLive(entry: CacheEntry, atMs: number): boolean {
  return atMs < endOf(entry);
}

/** With the slack after which an entry has certainly expired. */
function mayLive(entry: CacheEntry, atMs: number): boolean {
  return !isCold(endOf(entry), atMs);
}

function inOrder(entries: readonly CacheEntry[]): readonly CacheEntry[] {
  return entries.toSorted((one, other) => one.itemCount - other.itemCount);
}

/** Without the entries and names unused for longest; how far these reach stays known. */
function bounded(named: CacheEntries["named"], untold: CacheSpan | null): Pick<CacheEntries, "named" | "untold"> {
  const kept = new Map<string, readonly CacheEntry[]>();
  const dropped: CacheEntry[] = [];
  const names = Array.from(named);
  for (const [, entries] of names.slice(0, -NAMES_MAX)) dropped.push(...entries);
  for (const [name, entries] of names.slice(-NAMES_MAX)) {
    const byUse = entries.length <= ENTRIES_MAX ? [] : entries.toSorted((one, other) => other.usedAtMs - one.usedAtMs);
    const over = new Set(byUse.slice(ENTRIES_MAX));
    dropped.push(...over);
    kept.set(name, over.size === 0 ? entries : entries.filter((entry) => !over.has(entry)));
  }
  const spans = dropped.map((entry): CacheSpan => ({ itemCount: entry.itemCount, untilMs: endOf(entry) }));
  return { named: kept, untold: spans.reduce(joinedSpans, untold) };
}
