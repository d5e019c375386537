import type { CacheEntry } from "../model/cache.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { CacheEntries } from "./cache-entries.ts";
import { type CacheSpan, joinedSpans } from "./caches.ts";

/** True for an answer that tells of no work on the prompt: nothing may be built on what its request was to leave. */
export function isRefusal({
  status,
  usage,
  errorType,
}: Pick<Extract<LedgerEntry, { type: "response-seen" }>, "status" | "usage" | "errorType">): boolean {
  return usage === null && (status < 200 || status >= 300 || errorType !== null);
}

/** What is left without that of a refused request. How far it may reach nevertheless stays known. */
export function withoutRefused(before: CacheEntries, requestId: string): CacheEntries {
  const named = new Map<string, readonly CacheEntry[]>();
  let { untold } = before;
  for (const [name, entries] of before.named) {
    const kept = entries.filter((entry) => entry.requestId !== requestId);
    if (kept.length > 0) named.set(name, kept);
    for (const entry of entries) if (entry.requestId === requestId) untold = joinedSpans(untold, spanOf(entry));
  }
  return untold === before.untold ? before : { ...before, named, untold };
}

function spanOf({ itemCount, usedAtMs, ttlMs }: CacheEntry): CacheSpan {
  return { itemCount, untilMs: usedAtMs + ttlMs };
}
