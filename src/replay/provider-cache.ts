import type { ModelFacts } from "../model/cache.ts";
import { offeredLifetime } from "./other-model.ts";
import { CACHE_ENTRIES_MAX, type InputBill, type PromptCache, type Served, serve } from "./simulated/cache.ts";
import type { Position, Prompt } from "./simulated/prompt.ts";

/**
 * Serves one request from a cache under the rules of a model:
 *
 * - breakpoints: where the request has them, for the shortest lifetime the model offers that is not under the one asked for, else for its longest
 * - a prefix by itself: as many whole steps of tokens as an earlier request began with
 * - whole units: the longest earlier request that this one begins with; where an answer ended is not known
 * - none: nothing is ever read
 *
 * What a model caches by itself counts as written, at whatever that costs there.
 */
export function serveUnder(facts: ModelFacts, cache: PromptCache, prompt: Prompt, atMs: number): Served {
  const { cache: rules, cacheTokensMin: tokensMin, ttlDefaultMs } = facts;
  switch (rules.kind) {
    case "breakpoints":
      return serve(cache, withLifetimes(prompt, rules.ttlsMs), { atMs, tokensMin, lookback: rules.lookbackBlocks });
    case "prefix":
      return serveItself(cache, prompt, {
        atMs,
        tokensMin,
        lifetimeMs: ttlDefaultMs,
        stepTokens: rules.stepTokens,
        places: prompt.positions,
      });
    case "units":
      return serveItself(cache, prompt, {
        atMs,
        tokensMin,
        lifetimeMs: ttlDefaultMs,
        stepTokens: 1,
        places: prompt.positions.slice(-1),
      });
    case "none":
      return { cache, bill: { ...billOf(0, 0), inputTokens: prompt.tokens }, readUpTo: null };
  }
}

/** How a provider caches by itself. */
interface OwnCaching {
  readonly atMs: number;
  readonly tokensMin: number;
  readonly lifetimeMs: number;
  readonly stepTokens: number;
  /** Where an entry ends once this request was served. */
  readonly places: readonly Position[];
}

function serveItself(cache: PromptCache, { positions, tokens }: Prompt, caching: OwnCaching): Served {
  const { atMs, tokensMin, lifetimeMs, stepTokens, places } = caching;
  const live = new Map([...cache].filter(([, entry]) => atMs - entry.usedAtMs < entry.lifetimeMs));
  const hit = positions.findLastIndex(({ key }) => live.has(key));
  const whole = Math.floor((positions[hit]?.tokens ?? 0) / stepTokens) * stepTokens;
  const readTokens = whole < tokensMin ? 0 : whole;
  for (const { key } of hit === -1 ? places : [...positions.slice(hit, hit + 1), ...places]) {
    live.delete(key);
    live.set(key, { lifetimeMs, usedAtMs: atMs });
  }
  for (const key of live.keys()) {
    if (live.size <= CACHE_ENTRIES_MAX) break;
    live.delete(key);
  }
  return { cache: live, bill: billOf(tokens, readTokens), readUpTo: readTokens === 0 ? null : hit };
}

function billOf(tokens: number, readTokens: number): InputBill {
  return {
    inputTokens: 0,
    cacheReadTokens: readTokens,
    cacheWrite5mTokens: tokens - readTokens,
    cacheWrite1hTokens: 0,
  };
}

/** Breakpoints with the lifetimes that a model offers. */
function withLifetimes(prompt: Prompt, ttlsMs: readonly number[]): Prompt {
  const positions = prompt.positions.map((position) => {
    const { lifetimeMs } = position;
    return lifetimeMs === null ? position : { ...position, lifetimeMs: offeredLifetime(ttlsMs, lifetimeMs) };
  });
  return { ...prompt, positions };
}
