import type { ModelFacts } from "../model/cache.ts";
import type { RequestHeader } from "../model/transcript.ts";

/**
 * How long the provider may keep what a request leaves in its cache, from the start of the request: as long as the request asks
 * for, and by itself as long as its model is said to. Null where nothing is on record, so that nothing is known to expire.
 */
export function cacheLifetimeOf(
  { cacheTtlMs }: Pick<RequestHeader, "cacheTtlMs">,
  { cache, ttlDefaultMs }: Pick<ModelFacts, "cache" | "ttlDefaultMs">,
): number | null {
  switch (cache.kind) {
    case "breakpoints":
      return cacheTtlMs === null ? null : Math.max(cacheTtlMs, cache.keepsMs ?? 0);
    case "prefix":
    case "units":
      return Math.max(ttlDefaultMs, cacheTtlMs ?? 0);
    case "none":
      return 0;
  }
}

/** True where the provider caches without being asked: whole prompts, whatever breakpoints they state. */
export function cachesByItself({ cache }: Pick<ModelFacts, "cache">): boolean {
  return cache.kind === "prefix" || cache.kind === "units";
}

/** Blocks that a breakpoint looks at for an entry, its own included; without a bound where the provider caches by itself. */
export function lookbackOf({ cache }: Pick<ModelFacts, "cache">): number {
  return cache.kind === "breakpoints" ? cache.lookbackBlocks : Number.POSITIVE_INFINITY;
}
