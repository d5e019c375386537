import type { PriceRow } from "../model/cache.ts";
import type { StatedCache, StatedModel } from "../providers/stated-models.ts";
import type { StatedCacheFacts, StatedModelFacts, StatedModelMap, StatedPrices } from "./model-option.ts";

const MINUTE_MS = 60_000;

/** Stated facts in the units that providers keep them in. */
export function toStatedModels(map: StatedModelMap): readonly StatedModel[] {
  return Object.entries(map).map(([name, facts]) => toStatedModel(name, facts));
}

function toStatedModel(name: string, facts: StatedModelFacts): StatedModel {
  return {
    name,
    thinkingBinding: facts.binding,
    cache: facts.cache === undefined ? undefined : toCache(facts.cache),
    prices: facts.prices === undefined ? undefined : toRows(facts.prices),
    windowTokens: facts.window_tokens,
    deletesInCache: facts.deletes_in_cache,
    media: { bodyBytesMax: facts.media?.bytes_max, imagesMax: facts.media?.images_max },
  };
}

function toCache(cache: StatedCacheFacts): StatedCache {
  return {
    kind: cache.kind,
    breakpointsMax: cache.breakpoints_max,
    lookbackBlocks: cache.lookback_blocks,
    stepTokens: cache.step_tokens,
    ttlsMs: cache.ttl_minutes?.map((minutes) => minutes * MINUTE_MS),
    tokensMin: cache.min_tokens,
  };
}

/** By date, and of a date by length: the last that holds counts. */
function toRows(stated: readonly StatedPrices[]): readonly PriceRow[] {
  return stated
    .map(toRow)
    .toSorted((left, right) => left.fromMs - right.fromMs || left.promptTokensOver - right.promptTokensOver);
}

function toRow({ from, over_tokens: over, input, write_5m, write_1h, read, output }: StatedPrices): PriceRow {
  return {
    fromMs: from === undefined ? 0 : Date.parse(from),
    promptTokensOver: over ?? 0,
    prices: { input, cacheWrite5m: write_5m, cacheWrite1h: write_1h, cacheRead: read, output },
  };
}
