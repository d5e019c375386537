import type { CacheEntry, CachePlace } from "../model/cache.ts";
import type { Usage } from "../model/usage.ts";
import { type CacheName, type CacheSpan, joinedSpans, liveCount, nameOf } from "./caches.ts";
import { isCold } from "./moment.ts";

/** What requests on record left with the provider. */
export interface CacheEntries {
  /** By model and cache key; of a name in the order of their places. */
  readonly named: ReadonlyMap<string, readonly CacheEntry[]>;
  /** How far what is not kept here may reach, under any name. */
  readonly untold: CacheSpan | null;
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
}

/** Nothing was left. */
export const NO_ENTRIES: CacheEntries = { named: new Map(), untold: null };

/** Blocks a breakpoint looks at for an entry, its own included. Source: the provider's prompt caching page. */
export const LOOKBACK_BLOCKS = 20;

const NAMES_MAX = 8;
const ENTRIES_MAX = 256;

/** Entries of a name that still live, in the order of their places. */
export function liveEntries({ named }: CacheEntries, name: CacheName, atMs: number): readonly CacheEntry[] {
  return (named.get(nameOf(name)) ?? []).filter((entry) => isLive(entry, atMs));
}

/** The longest of these entries that a breakpoint finds; null where it finds none. */
export function entryFoundFrom(
  place: Pick<CachePlace, "itemCount" | "blockCount">,
  entries: readonly CacheEntry[],
): CacheEntry | null {
  return entries.findLast((entry) => reaches(place, entry)) ?? null;
}

/** A request as far as it reads entries. */
export interface ReadingRequest {
  readonly cache: CacheName;
  readonly breakpoints: readonly CachePlace[];
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
  const entries = (named.get(nameOf(cache)) ?? []).filter((entry) => {
    return entry.itemCount <= sameCount && mayLive(entry, atMs);
  });
  const found = breakpoints.map((place) => entryFoundFrom(place, entries)?.itemCount ?? 0);
  return Math.max(0, liveCount(untold, atMs), ...found);
}

/** What is left once a request went out: what changed in front of an entry ends it, whatever its name. */
export function withMarkedRequest(before: CacheEntries, request: MarkedRequest): CacheEntries {
  const { requestId, atMs, breakpoints, sameCount } = request;
  if (breakpoints === null) return { ...before, untold: joinedSpans(before.untold, spanOf(request)) };
  const name = nameOf(request);
  const kept = new Map<string, readonly CacheEntry[]>();
  for (const [key, entries] of before.named) {
    const same = entries.filter(({ itemCount }) => itemCount <= sameCount);
    if (same.length > 0 && key !== name) kept.set(key, same);
  }
  let own = (before.named.get(name) ?? []).filter((entry) => entry.itemCount <= sameCount && mayLive(entry, atMs));
  const live = own.filter((entry) => isLive(entry, atMs));
  const found = breakpoints.map((place) => entryFoundFrom(place, live));
  own = own.map((entry) => (found.includes(entry) ? { ...entry, usedAtMs: atMs } : entry));
  for (const place of breakpoints) {
    const known = own.find(({ itemCount }) => itemCount === place.itemCount);
    if (known !== undefined && isLive(known, atMs)) continue;
    own = [...own.filter((entry) => entry !== known), { ...place, usedAtMs: atMs, tokens: null, requestId }];
  }
  kept.set(name, inOrder(own));
  return bounded({ named: kept, untold: before.untold });
}

/** What a response told of its request's last entry: read and written tokens are the prompt up to the last breakpoint. */
export function withReportedUsage(before: CacheEntries, requestId: string, usage: Usage | null): CacheEntries {
  const tokens = (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0);
  if (tokens === 0) return before;
  for (const [name, entries] of before.named) {
    const last = entries.findLast((entry) => entry.requestId === requestId);
    if (last === undefined) continue;
    const told = entries.map((entry) => (entry === last ? { ...last, tokens } : entry));
    return { ...before, named: new Map(before.named).set(name, told) };
  }
  return before;
}

/** The same prefixes where something in them got another length, which no count of before tells. */
export function uncounted({ named, untold }: CacheEntries): CacheEntries {
  const without = Array.from(named, ([name, own]) => [name, own.map((entry) => ({ ...entry, tokens: null }))] as const);
  return { named: new Map(without), untold };
}

/** What a history that shares the first items with another takes over of it. */
export function sharedEntries({ named, untold }: CacheEntries, itemCount: number): CacheEntries {
  const shared = Array.from(named, ([name, own]) => {
    return [name, own.filter((entry) => entry.itemCount <= itemCount)] as const;
  });
  const span = untold === null ? null : { ...untold, itemCount: Math.min(untold.itemCount, itemCount) };
  return { named: new Map(shared.filter(([, own]) => own.length > 0)), untold: span };
}

/** What is left where both are. */
export function mergedEntries(left: CacheEntries, right: CacheEntries): CacheEntries {
  const named = new Map(left.named);
  for (const [name, entries] of right.named) named.set(name, inOrder(joined(named.get(name) ?? [], entries)));
  return bounded({ named, untold: joinedSpans(left.untold, right.untold) });
}

/** Of two that end at the same place the one that lives longer. */
function joined(left: readonly CacheEntry[], right: readonly CacheEntry[]): readonly CacheEntry[] {
  const byPlace = new Map(left.map((entry) => [entry.itemCount, entry]));
  for (const entry of right) {
    const other = byPlace.get(entry.itemCount);
    if (other === undefined || endOf(other) < endOf(entry)) byPlace.set(entry.itemCount, entry);
  }
  return Array.from(byPlace.values());
}

function spanOf({ itemCount, cacheTtlMs, atMs }: MarkedRequest): CacheSpan {
  return { itemCount, untilMs: cacheTtlMs === null ? null : atMs + cacheTtlMs };
}

function reaches(place: Pick<CachePlace, "itemCount" | "blockCount">, entry: CacheEntry): boolean {
  const back = place.blockCount - entry.blockCount;
  return entry.itemCount <= place.itemCount && back < LOOKBACK_BLOCKS;
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
function bounded({ named, untold }: CacheEntries): CacheEntries {
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
