import type { Digest } from "../model/item.ts";
import { isCold } from "./moment.ts";

/** What the provider keeps its cache entries apart by. */
export interface CacheName {
  readonly model: string | null;
  readonly cacheKey: Digest;
}

/** The first `itemCount` items may be held until a time, Unix; null for as long as the provider likes. */
export interface CacheSpan {
  readonly itemCount: number;
  readonly untilMs: number | null;
}

/** What requests may have left in the provider's cache. `unnamed` is what may be held under any name. */
export interface Caches {
  readonly named: ReadonlyMap<string, CacheSpan>;
  readonly unnamed: CacheSpan | null;
}

/** A request as far as it leaves something in the cache. `hasUnseen`: others that are not on record went before it. */
export interface CachingRequest extends CacheName {
  readonly itemCount: number;
  readonly cacheTtlMs: number | null;
  readonly atMs: number;
  readonly hasUnseen: boolean;
}

/** Nothing was sent. */
export const NO_CACHES: Caches = { named: new Map(), unnamed: null };

/** The longest cache lifetime a request can ask for. What a provider keeps by itself may live longer. */
export const LIFETIME_MAX_MS = 60 * 60 * 1_000;

/** Names kept apart; what was used least recently beyond counts as held under any name. */
const NAMES_MAX = 32;

/** What may be held once a request went out. */
export function withRequest(caches: Caches, request: CachingRequest): Caches {
  const { itemCount, cacheTtlMs, atMs } = request;
  const unseen = request.hasUnseen ? { itemCount, untilMs: atMs + Math.max(LIFETIME_MAX_MS, cacheTtlMs ?? 0) } : null;
  const span = { itemCount, untilMs: cacheTtlMs === null ? null : atMs + cacheTtlMs };
  return bounded(withSpan(caches.named, nameOf(request), span), joinedSpans(caches.unnamed, unseen));
}

/** What may be held where both are. */
export function mergedCaches(left: Caches, right: Caches): Caches {
  let { named } = left;
  for (const [name, span] of right.named) named = withSpan(named, name, span);
  return bounded(named, joinedSpans(left.unnamed, right.unnamed));
}

/** How many items at the head of a history may be held for a request of that name. */
export function cachedCountOf({ named, unnamed }: Caches, name: CacheName, nowMs: number): number {
  return Math.max(liveCount(named.get(nameOf(name)) ?? null, nowMs), liveCount(unnamed, nowMs));
}

/** How many items a span may still hold. */
export function liveCount(span: CacheSpan | null, nowMs: number): number {
  if (span === null) return 0;
  return span.untilMs !== null && isCold(span.untilMs, nowMs) ? 0 : span.itemCount;
}

/** One text for a name. */
export function nameOf({ model, cacheKey }: CacheName): string {
  return JSON.stringify([model, cacheKey]);
}

/** In the order of last use. */
function withSpan(
  spans: ReadonlyMap<string, CacheSpan>,
  name: string,
  span: CacheSpan,
): ReadonlyMap<string, CacheSpan> {
  const changed = new Map(spans);
  changed.delete(name);
  return changed.set(name, joinedSpans(spans.get(name) ?? null, span) ?? span);
}

/** A span that reaches as far as either, for as long as either. */
export function joinedSpans(left: CacheSpan | null, right: CacheSpan | null): CacheSpan | null {
  if (left === null || right === null) return left ?? right;
  const isOpen = left.untilMs === null || right.untilMs === null;
  return {
    itemCount: Math.max(left.itemCount, right.itemCount),
    untilMs: isOpen ? null : Math.max(left.untilMs ?? 0, right.untilMs ?? 0),
  };
}

function bounded(spans: ReadonlyMap<string, CacheSpan>, unnamed: CacheSpan | null): Caches {
  const excess = Array.from(spans).slice(0, Math.max(0, spans.size - NAMES_MAX));
  if (excess.length === 0) return { named: spans, unnamed };
  return {
    named: new Map(Array.from(spans).slice(excess.length)),
    unnamed: excess.reduce<CacheSpan | null>((all, [, span]) => joinedSpans(all, span), unnamed),
  };
}
