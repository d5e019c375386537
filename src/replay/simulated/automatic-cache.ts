import { sha256Hex } from "../../lib/hash.ts";
import type { ModelFacts } from "../../model/cache.ts";
import type { TokenCounter } from "../../model/ports.ts";
import { type InputBill, type PromptCache, serve } from "./cache.ts";
import { MEDIA_TOKENS, type Position } from "./prompt.ts";

/** One part of a prompt, in its order. */
export interface PromptPart {
  /** What the cache compares; the role it belongs to included. */
  readonly text: string;
  /** An image or a file, which counts as so many tokens whatever its size. */
  readonly isMedia: boolean;
  /** A breakpoint that the request states stands behind it. */
  readonly isMarked: boolean;
  /** Part of what was said to the model, behind which a provider may put a breakpoint of its own. */
  readonly isInput: boolean;
}

/** How one prompt is served. */
export interface AutomaticServing {
  readonly facts: Pick<ModelFacts, "cache" | "cacheTokensMin">;
  readonly counter: TokenCounter;
  readonly atMs: number;
  /** How long a prefix lives after its last use, in milliseconds. */
  readonly lifetimeMs: number;
  /** What keeps caches apart beside the prompt: the model. */
  readonly seed: string;
  /** False: only breakpoints that the request states. Models with an automatic prefix ignore it. */
  readonly isImplicit: boolean;
}

/** What serving one prompt came to. */
export interface AutomaticallyServed {
  readonly tokens: number;
  readonly bill: InputBill;
  readonly cache: PromptCache;
}

/** Prefixes kept; the longest unused leave first. */
export const PREFIXES_MAX = 100_000;
/** Breakpoints that one request writes. Source: OpenAI's prompt caching guide. */
const WRITES_MAX = 4;
/** With four bytes a token, the 128 tokens in which OpenAI's automatic cache grows. */
const PIECE_CHARS = 512;

/**
 * Serves one prompt by the cache rules of its model: the longest prefix that an earlier prompt left, in steps of tokens; whole
 * prompts only (`units`); or what stands before a breakpoint.
 */
export function servePrompt(
  cache: PromptCache,
  parts: readonly PromptPart[],
  serving: AutomaticServing,
): AutomaticallyServed {
  const places = placesOf(parts, serving);
  const tokens = places.at(-1)?.tokens ?? 0;
  const { facts, atMs } = serving;
  switch (facts.cache.kind) {
    case "none":
      return { tokens, bill: billOf(tokens, 0), cache };
    case "breakpoints": {
      const positions = marked(places, parts, serving);
      const lookback = positions.length;
      const served = serve(cache, { positions, tokens }, { atMs, tokensMin: facts.cacheTokensMin, lookback });
      return { tokens, bill: served.bill, cache: served.cache };
    }
    case "prefix": {
      const { readTokens, cache: next } = servePrefix(cache, places, {
        ...serving,
        stepTokens: facts.cache.stepTokens,
      });
      return { tokens, bill: billOf(tokens, readTokens), cache: next };
    }
    case "units": {
      const last = places.slice(-1);
      const readTokens = longestRead(live(cache, atMs), places);
      return { tokens, bill: billOf(tokens, readTokens), cache: written(live(cache, atMs), last, serving) };
    }
  }
}

/** Tokens of a prompt, counted as the cache counts them. */
export function tokensOfParts(parts: readonly PromptPart[], counter: TokenCounter): number {
  return placesOf(parts, { counter, seed: "" }).at(-1)?.tokens ?? 0;
}

/** A place at which a remembered prefix may end. */
interface Place {
  readonly key: string;
  readonly tokens: number;
  /** Index of the part that ends here; null inside a part. */
  readonly endOf: number | null;
}

function placesOf(
  parts: readonly PromptPart[],
  { counter, seed }: Pick<AutomaticServing, "counter" | "seed">,
): readonly Place[] {
  const places: Place[] = [];
  let key = sha256Hex(seed);
  let tokens = 0;
  for (const [index, part] of parts.entries()) {
    const pieces = part.isMedia ? [part.text] : piecesOf(part.text);
    for (const [pieceIndex, piece] of pieces.entries()) {
      const isLast = pieceIndex === pieces.length - 1;
      key = sha256Hex(`${key}${part.isMedia ? "media" : isLast ? "end" : "more"} ${piece}`);
      tokens += part.isMedia ? MEDIA_TOKENS : counter.count(piece);
      places.push({ key, tokens, endOf: isLast ? index : null });
    }
  }
  return places;
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length || pieces.length === 0; start += PIECE_CHARS) {
    pieces.push(text.slice(start, start + PIECE_CHARS));
  }
  return pieces;
}

function servePrefix(
  cache: PromptCache,
  places: readonly Place[],
  serving: AutomaticServing & { readonly stepTokens: number },
): { readonly readTokens: number; readonly cache: PromptCache } {
  const { facts, atMs, stepTokens } = serving;
  const now = live(cache, atMs);
  const longest = longestRead(now, places);
  const stepped = longest - (longest % stepTokens);
  const isLongEnough = (places.at(-1)?.tokens ?? 0) >= facts.cacheTokensMin;
  return {
    readTokens: stepped >= facts.cacheTokensMin ? stepped : 0,
    cache: isLongEnough ? written(now, places, serving) : now,
  };
}

function longestRead(cache: PromptCache, places: readonly Place[]): number {
  return places.findLast(({ key }) => cache.has(key))?.tokens ?? 0;
}

function live(cache: PromptCache, atMs: number): PromptCache {
  return new Map([...cache].filter(([, entry]) => atMs - entry.usedAtMs < entry.lifetimeMs));
}

function written(cache: PromptCache, places: readonly Place[], serving: AutomaticServing): PromptCache {
  const next = new Map(cache);
  for (const { key } of places) {
    next.delete(key);
    next.set(key, { lifetimeMs: serving.lifetimeMs, usedAtMs: serving.atMs });
  }
  for (const key of next.keys()) {
    if (next.size <= PREFIXES_MAX) break;
    next.delete(key);
  }
  return next;
}

/** Ends of parts, with the lifetime on those at which this request has a breakpoint: the newest few. */
function marked(
  places: readonly Place[],
  parts: readonly PromptPart[],
  { isImplicit, lifetimeMs }: AutomaticServing,
): readonly Position[] {
  const implicit = isImplicit ? parts.findLastIndex(({ isInput }) => isInput) : -1;
  const stated = parts.flatMap(({ isMarked }, index) => (isMarked && index !== implicit ? [index] : []));
  const chosen = new Set(stated.slice(implicit >= 0 ? 1 - WRITES_MAX : -WRITES_MAX));
  if (implicit >= 0) chosen.add(implicit);
  return places.flatMap(({ key, tokens, endOf }) =>
    endOf === null ? [] : [{ key, tokens, lifetimeMs: chosen.has(endOf) ? lifetimeMs : null }],
  );
}

function billOf(tokens: number, cacheReadTokens: number): InputBill {
  return { inputTokens: tokens - cacheReadTokens, cacheReadTokens, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
}
