import type { CacheRules, ModelFacts, PriceRow, ThinkingBinding } from "../model/cache.ts";
import type { Provider } from "../model/ports.ts";

/** What a user states of a model; what is left out stays as it is on record, or as it is assumed. */
export interface StatedModel {
  /** A model's id, or the beginning of ids followed by one `*`; case does not count. */
  readonly name: string;
  readonly thinkingBinding?: ThinkingBinding | undefined;
  readonly cache?: StatedCache | undefined;
  /** All prices, in the order of `ModelFacts.prices`. */
  readonly prices?: readonly PriceRow[] | undefined;
  readonly windowTokens?: number | undefined;
  readonly deletesInCache?: boolean | undefined;
  readonly media?: StatedMedia | undefined;
}

/** Limits of one request as far as they are stated. */
export interface StatedMedia {
  readonly bodyBytesMax?: number | undefined;
  readonly imagesMax?: number | undefined;
}

/** Cache rules as far as they are stated; another kind than the one on record starts from that kind's usual values. */
export interface StatedCache {
  readonly kind?: CacheRules["kind"] | undefined;
  readonly breakpointsMax?: number | undefined;
  readonly lookbackBlocks?: number | undefined;
  readonly stepTokens?: number | undefined;
  /** The first one is that of a request which asks for none. */
  readonly ttlsMs?: readonly number[] | undefined;
  readonly tokensMin?: number | undefined;
}

/**
 * The provider with what is stated over what is on record: an id over a beginning, a longer beginning over a shorter one. A model
 * without record counts as known once its binding, its kind of cache and its prices are stated.
 */
export function withStatedModels<P extends Provider>(provider: P, stated: readonly StatedModel[]): P {
  const byRank = stated.toSorted((left, right) => rankOf(left) - rankOf(right));
  return {
    ...provider,
    modelFacts(model: string | null) {
      const fitting = byRank.filter(({ name }) => fits(name, model));
      const base = provider.modelFacts(model);
      const facts = fitting.reduce(withStated, base);
      return { ...facts, isKnown: base.isKnown || isWhole(fitting) };
    },
  };
}

/** Kinds of cache with the values that are usual for each. */
const USUAL: { readonly [K in CacheRules["kind"]]: Extract<CacheRules, { readonly kind: K }> } = {
  breakpoints: { kind: "breakpoints", breakpointsMax: 4, lookbackBlocks: 20, ttlsMs: [300_000, 3_600_000] },
  prefix: { kind: "prefix", stepTokens: 1 },
  units: { kind: "units" },
  none: { kind: "none" },
};

/** Shorter beginnings first, whole ids last. */
function rankOf({ name }: StatedModel): number {
  return name.endsWith("*") ? name.length : Number.POSITIVE_INFINITY;
}

function fits(name: string, model: string | null): boolean {
  const stated = name.toLowerCase();
  const id = (model ?? "").trim().toLowerCase();
  return stated.endsWith("*") ? id.startsWith(stated.slice(0, -1)) : id === stated;
}

function isWhole(fitting: readonly StatedModel[]): boolean {
  return (
    fitting.some(({ thinkingBinding }) => thinkingBinding !== undefined) &&
    fitting.some(({ cache }) => cache?.kind !== undefined) &&
    fitting.some(({ prices }) => prices !== undefined)
  );
}

function withStated(facts: ModelFacts, stated: StatedModel): ModelFacts {
  const { cache = {}, media = {} } = stated;
  return {
    ...facts,
    thinkingBinding: stated.thinkingBinding ?? facts.thinkingBinding,
    cache: rulesOf(facts.cache, cache),
    ttlDefaultMs: cache.ttlsMs?.[0] ?? facts.ttlDefaultMs,
    cacheTokensMin: cache.tokensMin ?? facts.cacheTokensMin,
    prices: stated.prices ?? facts.prices,
    windowTokens: stated.windowTokens ?? facts.windowTokens,
    deletesInCache: stated.deletesInCache ?? facts.deletesInCache,
    media: {
      ...facts.media,
      bodyBytesMax: media.bodyBytesMax ?? facts.media.bodyBytesMax,
      imagesMax: media.imagesMax ?? facts.media.imagesMax,
    },
  };
}

function rulesOf(recorded: CacheRules, stated: StatedCache): CacheRules {
  const base = stated.kind === undefined || stated.kind === recorded.kind ? recorded : USUAL[stated.kind];
  if (base.kind === "prefix") return { ...base, stepTokens: stated.stepTokens ?? base.stepTokens };
  if (base.kind !== "breakpoints") return base;
  return {
    ...base,
    breakpointsMax: stated.breakpointsMax ?? base.breakpointsMax,
    lookbackBlocks: stated.lookbackBlocks ?? base.lookbackBlocks,
    ttlsMs: stated.ttlsMs ?? base.ttlsMs,
  };
}
