import type { CacheEntry, CachePlace, CacheRules } from "../model/cache.ts";
import type { Prediction } from "../model/prediction.ts";
import type { Usage } from "../model/usage.ts";
import { entryFoundFrom } from "./cache-entries.ts";
import { lookbackOf } from "./cache-lifetime.ts";
import type { PromptSizes } from "./prompt-sizes.ts";

/** What a prediction is made of. */
export interface PredictionGround {
  readonly rules: CacheRules;
  /** Shorter prefixes are never remembered, without a word. */
  readonly tokensMin: number;
  /** Prefixes under the request's model and cache key that still live, in the order of their places. */
  readonly entries: readonly CacheEntry[];
  /** Items in front of the first one that goes out in another form than before. */
  readonly sameCount: number;
  /** Breakpoints in the messages as they go out, in the order of their places. */
  readonly places: readonly CachePlace[];
  /** Breakpoints on tools and system prompt. */
  readonly headBreakpoints: number;
  readonly sizes: Pick<PromptSizes, "upTo">;
  /** All requests that went before are on record. */
  readonly isAllSeen: boolean;
  /** It newly asks the provider to delete from its cache: what is read is shorter than what was counted. */
  readonly isDeleting: boolean;
}

/** A prediction, and the prefix it expects to be read. */
export interface Predicted {
  readonly prediction: Prediction;
  readonly entry: CacheEntry | null;
}

/** How a reported read stands to a predicted one. */
export type Comparison = "held" | "less" | "more" | "unjudged";

/** Two reads are the same up to this share of the larger one, or up to so many tokens. */
const SAME_SHARE = 0.01;
const SAME_TOKENS = 64;

/** An estimate is only known to be wrong where the reported read is beyond twice or half of it, and this far off. */
const ESTIMATE_FACTOR = 2;
const ESTIMATE_TOKENS = 2_048;

const UNKNOWN: Predicted = {
  prediction: { place: "unknown", readTokens: null, writtenTokens: null, isExact: false },
  entry: null,
};
const NOTHING: Predicted = {
  prediction: { place: "nothing", readTokens: 0, writtenTokens: 0, isExact: true },
  entry: null,
};

/** What the provider will read and write, by the prefixes that are on record. It claims nothing of caches it cannot see into. */
export function predictUsage(ground: PredictionGround): Predicted {
  const { rules, places, headBreakpoints, sizes } = ground;
  if (rules.kind === "none") return NOTHING;
  if (rules.kind !== "breakpoints") return predictWhole(ground, rules);
  if (places.length + headBreakpoints === 0) return NOTHING;
  if (!ground.isAllSeen) return UNKNOWN;
  const entry = deepestFound(ground);
  const last = places.at(-1)?.itemCount ?? 0;
  if (entry === null) return headOnly(last, ground);
  const estimated = sizes.upTo(entry.itemCount);
  if (entry.tokens === null && estimated < ESTIMATE_FACTOR * ground.tokensMin) return UNKNOWN;
  const prediction: Prediction = {
    place: "entry",
    readTokens: entry.tokens ?? Math.round(estimated),
    writtenTokens: Math.round(sizes.upTo(last) - estimated),
    isExact: entry.tokens !== null && !ground.isDeleting,
  };
  return { prediction, entry };
}

/**
 * How a reported read compares. What is believed of system prompt and tools is an upper bound alone: whether they are cached depends
 * on other conversations. A read of nothing that was predicted shows nothing.
 */
export function compareRead(
  { place, readTokens, isExact, stepTokens }: Prediction,
  { cacheReadTokens }: Pick<Usage, "cacheReadTokens">,
): Comparison {
  if (readTokens === null) return "unjudged";
  if (stepTokens !== undefined) return compareWhole({ place, readTokens, isExact, stepTokens }, cacheReadTokens);
  if (isExact) {
    const slack = Math.max(SAME_TOKENS, SAME_SHARE * Math.max(readTokens, cacheReadTokens));
    if (Math.abs(readTokens - cacheReadTokens) > slack) return cacheReadTokens < readTokens ? "less" : "more";
    return place === "entry" ? "held" : "unjudged";
  }
  if (cacheReadTokens > readTokens * ESTIMATE_FACTOR + ESTIMATE_TOKENS) return "more";
  const isFarBelow = cacheReadTokens < readTokens / ESTIMATE_FACTOR - ESTIMATE_TOKENS;
  return place === "entry" && isFarBelow ? "less" : "unjudged";
}

function deepestFound({ rules, entries, sameCount, places }: PredictionGround): CacheEntry | null {
  const same = entries.filter(({ itemCount }) => itemCount <= sameCount);
  let deepest: CacheEntry | null = null;
  for (const place of places) {
    const found = entryFoundFrom(place, same, lookbackOf({ cache: rules }));
    if (found !== null && (deepest === null || found.itemCount > deepest.itemCount)) deepest = found;
  }
  return deepest;
}

/** System prompt and tools may be read, by a breakpoint of their own or by one that looks back to theirs. */
function headOnly(last: number, { sizes }: PredictionGround): Predicted {
  const head = Math.round(sizes.upTo(0));
  const writtenTokens = Math.round(sizes.upTo(last)) - head;
  return { prediction: { place: "head", readTokens: head, writtenTokens, isExact: false }, entry: null };
}

/**
 * What a provider reads that remembers whole prompts by itself: the longest that this one begins with, or, where it remembers token by
 * token, what it shares with the longest.
 */
function predictWhole(
  { entries, sameCount, places, sizes, tokensMin, isAllSeen, isDeleting }: PredictionGround,
  rules: Exclude<CacheRules, { readonly kind: "breakpoints" | "none" }>,
): Predicted {
  const stepTokens = rules.kind === "prefix" ? rules.stepTokens : 1;
  const unknown = { prediction: { ...UNKNOWN.prediction, stepTokens }, entry: null };
  if (!isAllSeen) return unknown;
  const fitting = rules.kind === "prefix" ? entries : entries.filter(({ itemCount }) => itemCount <= sameCount);
  const longest = fitting.at(-1);
  const total = sizes.upTo(places.at(-1)?.itemCount ?? 0);
  const itemCount = Math.min(sameCount, longest?.itemCount ?? 0);
  if (longest === undefined || itemCount === 0) {
    const head = Math.round(sizes.upTo(0));
    const writtenTokens = Math.round(total) - head;
    return { prediction: { place: "head", readTokens: head, writtenTokens, isExact: false, stepTokens }, entry: null };
  }
  const told = itemCount === longest.itemCount ? longest.tokens : null;
  const tokens = told ?? sizes.upTo(itemCount);
  if (tokens < (told === null ? ESTIMATE_FACTOR : 1) * tokensMin) return unknown;
  const prediction: Prediction = {
    place: "entry",
    readTokens: Math.floor(tokens / stepTokens) * stepTokens,
    writtenTokens: Math.max(0, Math.round(total - tokens)),
    isExact: told !== null && !isDeleting,
    stepTokens,
  };
  return { prediction, entry: { ...longest, itemCount, tokens: told } };
}

/** Whatever reads further than predicted holds: an answer, or what another conversation shares. */
function compareWhole(
  {
    place,
    readTokens,
    isExact,
    stepTokens,
  }: Pick<Prediction, "place" | "isExact"> & Readonly<Record<"readTokens" | "stepTokens", number>>,
  cacheReadTokens: number,
): Comparison {
  if (place !== "entry") {
    return cacheReadTokens > readTokens * ESTIMATE_FACTOR + ESTIMATE_TOKENS ? "more" : "unjudged";
  }
  if (!isExact) return cacheReadTokens < readTokens / ESTIMATE_FACTOR - ESTIMATE_TOKENS ? "less" : "unjudged";
  const slack = Math.max(SAME_TOKENS, SAME_SHARE * readTokens, stepTokens);
  return cacheReadTokens < readTokens - slack ? "less" : "held";
}
