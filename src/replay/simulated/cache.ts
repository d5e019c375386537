import { LIFETIME_1H_MS } from "./breakpoints.ts";
import type { Position, Prompt } from "./prompt.ts";

/** One prefix the provider remembers. Lives `lifetimeMs` from the start of the last request that wrote or read it. */
export interface CacheEntry {
  readonly lifetimeMs: number;
  readonly usedAtMs: number;
}

/** Remembered prefixes by key; never changed in place. */
export type PromptCache = ReadonlyMap<string, CacheEntry>;

/** Input tokens of one request by the price they have. Their sum is the whole prompt. */
export interface InputBill {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
}

/** When a request started, and what of its prompt can be cached and found. */
export interface Serving {
  readonly atMs: number;
  readonly tokensMin: number;
  /** Places a breakpoint looks at; left out: `LOOKBACK_POSITIONS`. */
  readonly lookback?: number;
}

/** Places a breakpoint looks at for an entry, its own included. */
export const LOOKBACK_POSITIONS = 20;
/** Entries kept; the longest unused leave first. */
export const CACHE_ENTRIES_MAX = 10_000;

/** A cache that remembers nothing yet. */
export const emptyCache: PromptCache = new Map();

/** What serving one request came to. */
export interface Served {
  readonly cache: PromptCache;
  readonly bill: InputBill;
  /** The last position that was read from the cache, by its index; null where nothing was. */
  readonly readUpTo: number | null;
}

/**
 * One request served at `atMs`, the time it started: what it reads and writes, and the cache after it. Entries are
 * written at breakpoints only, and never under `tokensMin`.
 */
export function serve(
  cache: PromptCache,
  prompt: Pick<Prompt, "positions" | "tokens">,
  { atMs, tokensMin, lookback = LOOKBACK_POSITIONS }: Serving,
): Served {
  const live = new Map([...cache].filter(([, entry]) => isLive(entry, atMs)));
  const breakpoints = breakpointsOf(prompt, tokensMin);
  const hits = breakpoints.flatMap((index) => hitFrom(live, prompt.positions, index, lookback));
  for (const index of hits) {
    const key = prompt.positions[index]?.key ?? "";
    const entry = live.get(key);
    if (entry !== undefined) use(live, key, { ...entry, usedAtMs: atMs });
  }
  const readUpTo = hits.length === 0 ? null : Math.max(...hits);
  const bill = billOf(prompt, breakpoints, readUpTo === null ? 0 : (prompt.positions[readUpTo]?.tokens ?? 0));
  for (const index of breakpoints) {
    const position = prompt.positions[index];
    if (position === undefined || position.lifetimeMs === null || live.has(position.key)) continue;
    use(live, position.key, { lifetimeMs: position.lifetimeMs, usedAtMs: atMs });
  }
  return { cache: bounded(live), bill, readUpTo };
}

function isLive(entry: CacheEntry, atMs: number): boolean {
  return atMs - entry.usedAtMs < entry.lifetimeMs;
}

function breakpointsOf(prompt: Pick<Prompt, "positions">, tokensMin: number): readonly number[] {
  return prompt.positions.flatMap((position, index) =>
    position.lifetimeMs !== null && position.tokens >= tokensMin ? [index] : [],
  );
}

function hitFrom(
  live: PromptCache,
  positions: readonly Position[],
  breakpoint: number,
  lookback: number,
): readonly number[] {
  const last = Math.max(0, breakpoint - lookback + 1);
  for (let index = breakpoint; index >= last; index -= 1) {
    const position = positions[index];
    if (position !== undefined && live.has(position.key)) return [index];
  }
  return [];
}

/** Charges by three places: the longest hit, the last one-hour breakpoint, the last breakpoint. */
function billOf(
  prompt: Pick<Prompt, "positions" | "tokens">,
  breakpoints: readonly number[],
  hitTokens: number,
): InputBill {
  const marked = breakpoints.flatMap((index) => prompt.positions[index] ?? []);
  const lastHour = marked.findLast((position) => position.lifetimeMs === LIFETIME_1H_MS)?.tokens ?? 0;
  const hourTokens = Math.max(hitTokens, lastHour);
  const lastTokens = Math.max(hourTokens, marked.at(-1)?.tokens ?? 0);
  return {
    inputTokens: prompt.tokens - lastTokens,
    cacheReadTokens: hitTokens,
    cacheWrite5mTokens: lastTokens - hourTokens,
    cacheWrite1hTokens: hourTokens - hitTokens,
  };
}

/** Keeps the map in order of last use. */
function use(live: Map<string, CacheEntry>, key: string, entry: CacheEntry): void {
  live.delete(key);
  live.set(key, entry);
}

function bounded(live: Map<string, CacheEntry>): PromptCache {
  for (const key of live.keys()) {
    if (live.size <= CACHE_ENTRIES_MAX) break;
    live.delete(key);
  }
  return live;
}
