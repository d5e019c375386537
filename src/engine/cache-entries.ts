import type { CacheEntry, CachePlace } from "../model/cache.ts";
import type { Usage } from "../model/usage.ts";
import { type CacheName, nameOf } from "./caches.ts";

/** What requests on record left with the provider, by model and cache key; of a name in the order of their places. */
export type CacheEntries = ReadonlyMap<string, readonly CacheEntry[]>;

/** A request as far as it reads and leaves entries. */
export interface MarkedRequest extends CacheName {
  readonly requestId: string;
  readonly atMs: number;
  readonly breakpoints: readonly CachePlace[];
  /** Items in front of the first one that goes out in another form than before. */
  readonly sameCount: number;
}

/** Nothing was left. */
export const NO_ENTRIES: CacheEntries = new Map();

/** Blocks a breakpoint looks at for an entry, its own included. Source: the provider's prompt caching page. */
export const LOOKBACK_BLOCKS = 20;

const NAMES_MAX = 8;
const ENTRIES_MAX = 256;

/** Entries of a name that still live, in the order of their places. */
export function liveEntries(entries: CacheEntries, name: CacheName, atMs: number): readonly CacheEntry[] {
  return (entries.get(nameOf(name)) ?? []).filter((entry) => isLive(entry, atMs));
}

/** The longest of these entries that a breakpoint finds; null where it finds none. */
export function entryFoundFrom(
  place: Pick<CachePlace, "itemCount" | "blockCount">,
  entries: readonly CacheEntry[],
): CacheEntry | null {
  return entries.findLast((entry) => reaches(place, entry)) ?? null;
}

/** What is left once a request went out: what changed in front of an entry ends it, whatever its name. */
export function withMarkedRequest(before: CacheEntries, request: MarkedRequest): CacheEntries {
  const { requestId, atMs, breakpoints, sameCount } = request;
  const name = nameOf(request);
  const kept = new Map<string, readonly CacheEntry[]>();
  for (const [key, entries] of before) {
    const same = entries.filter(({ itemCount }) => itemCount <= sameCount);
    if (same.length > 0 && key !== name) kept.set(key, same);
  }
  let own = liveEntries(before, request, atMs).filter(({ itemCount }) => itemCount <= sameCount);
  const found = breakpoints.map((place) => entryFoundFrom(place, own));
  own = own.map((entry) => (found.includes(entry) ? { ...entry, usedAtMs: atMs } : entry));
  for (const place of breakpoints) {
    if (own.some(({ itemCount }) => itemCount === place.itemCount)) continue;
    own = [...own, { ...place, usedAtMs: atMs, tokens: null, requestId }];
  }
  kept.set(name, bounded(own));
  return new Map(Array.from(kept).slice(-NAMES_MAX));
}

/** What a response told of its request's last entry: read and written tokens are the prompt up to the last breakpoint. */
export function withReportedUsage(before: CacheEntries, requestId: string, usage: Usage | null): CacheEntries {
  const tokens = (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0);
  if (tokens === 0) return before;
  for (const [name, entries] of before) {
    const last = entries.findLast((entry) => entry.requestId === requestId);
    if (last === undefined) continue;
    const told = { ...last, tokens };
    return new Map(before).set(
      name,
      entries.map((entry) => (entry === last ? told : entry)),
    );
  }
  return before;
}

/** What a history that shares the first items with another takes over of it. */
export function sharedEntries(entries: CacheEntries, itemCount: number): CacheEntries {
  const shared = Array.from(entries, ([name, own]) => {
    return [name, own.filter((entry) => entry.itemCount <= itemCount)] as const;
  });
  return new Map(shared.filter(([, own]) => own.length > 0));
}

function reaches(place: Pick<CachePlace, "itemCount" | "blockCount">, entry: CacheEntry): boolean {
  const back = place.blockCount - entry.blockCount;
  return entry.itemCount <= place.itemCount && back < LOOKBACK_BLOCKS;
}

function isLive({ usedAtMs, ttlMs }: CacheEntry, atMs: number): boolean {
  return atMs - usedAtMs < ttlMs;
}

/** In the order of their places, without those unused for longest. */
function bounded(entries: readonly CacheEntry[]): readonly CacheEntry[] {
  const recent = entries.length <= ENTRIES_MAX ? entries : entries.toSorted(byUse).slice(0, ENTRIES_MAX);
  return recent.toSorted((one, other) => one.itemCount - other.itemCount);
}

function byUse(one: CacheEntry, other: CacheEntry): number {
  return other.usedAtMs - one.usedAtMs;
}
