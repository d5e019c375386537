import { placesOf } from "../engine/block-counts.ts";
import { LOOKBACK_BLOCKS } from "../engine/cache-entries.ts";
import { cacheLifetimeOf } from "../engine/cache-lifetime.ts";
import type { ModelFacts } from "../model/cache.ts";
import type { WireSource } from "../model/ports.ts";
import type { PlaceInput } from "./lineage.ts";

/** Whose cache entries a request can use, and where it has breakpoints. */
export function cacheRequestOf(
  { transcript }: Pick<WireSource, "transcript">,
  counts: readonly number[],
  facts: Pick<ModelFacts, "cache" | "ttlDefaultMs">,
): Pick<PlaceInput, "cache" | "breakpoints" | "lifetimeMs"> {
  const { cache } = facts;
  const { header, breakpoints } = transcript;
  const { model, cacheKey } = header;
  // What is on record of earlier requests tells only how far this lookback reaches.
  const hasBreakpoints = cache.kind === "breakpoints" && cache.lookbackBlocks === LOOKBACK_BLOCKS;
  return {
    lifetimeMs: cacheLifetimeOf(header, facts),
    cache: { model, cacheKey },
    breakpoints: hasBreakpoints ? { places: placesOf(breakpoints, counts), blockCounts: counts } : null,
  };
}
