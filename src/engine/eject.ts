import type { ModelFacts } from "../model/cache.ts";
import type { LedgerRecord } from "../model/ledger.ts";
import { entryFoundFrom, liveEntries } from "./cache-entries.ts";
import { lookbackOf } from "./cache-lifetime.ts";
import { type SentChange, sentChanges } from "./eject-changes.ts";
import { type PastRequest, type PastRequests, pastRequests } from "./eject-history.ts";
import { type PastSizes, pastSizes } from "./eject-sizes.ts";
import { isCold } from "./moment.ts";
import { pricesAt } from "./price.ts";

/** What comes of the first request without Ebb. Tokens and money are estimates; null is unknown. */
export interface Leaving {
  /** In the order of their places; empty: leaving changes nothing. */
  readonly changes: readonly SentChange[];
  readonly model: string | null;
  /** Tokens of the next prompt, behind what the client adds to it: as it would be with Ebb, and without. */
  readonly tokensWith: number | null;
  readonly tokensWithout: number | null;
  readonly windowTokens: number | null;
  /** The provider's cache has certainly expired: then all of it is written again with Ebb as well. */
  readonly isCold: boolean;
  /** Tokens that are written to the cache again. */
  readonly rewrittenTokens: number | null;
  /** Part of them that is still read where the client has a breakpoint behind its system prompt; null where not known. */
  readonly headTokens: number | null;
  /** What the next request costs more than with Ebb, and each later one. */
  readonly costUsd: number | null;
  readonly laterUsd: number | null;
  readonly thinking: ThinkingVerdict;
}

/**
 * `fits`: nothing signed stands behind a change, or the model signs nothing over what stands before. `refused`: thinking is on
 * record that was signed over what Ebb sent. `may be refused`: only the last answer came since, and may have thought.
 */
export type ThinkingVerdict = "fits" | "may be refused" | "refused";

/** What tells of leaving: the ledgers of a history, the oldest first, and the sizes of what asides put in. */
export interface LeavingGround {
  readonly ledgers: readonly (readonly LedgerRecord[])[];
  readonly asideBytes: number;
  readonly atMs: number;
  /** By the name of the provider, as far as it is on record. */
  modelFacts(provider: string | undefined, model: string | null): ModelFacts;
}

/** Foretells it from ledgers alone. */
export function leavingOf({ ledgers, asideBytes, atMs, modelFacts }: LeavingGround): Leaving {
  const past = pastRequests(ledgers);
  const sizes = pastSizes(past);
  const changes = sentChanges(past, sizes);
  const last = past.requests.at(-1);
  const facts = modelFacts(last?.provider, last?.model ?? null);
  const isGone = isCold(past.standing.warmUntilMs, atMs);
  const tokensWith = nextTokens(past);
  const tokensWithout =
    tokensWith === null ? null : Math.round(tokensWith + growthOf(past, changes, asideBytes, sizes));
  const kept = changes.length === 0 || isGone ? null : keptTokens(past, changes, atMs, facts);
  const caches = last !== undefined && last.places.length > 0 && facts.cache.kind !== "none";
  const rewrittenTokens =
    changes.length === 0 || !caches ? 0 : tokensWithout === null ? null : Math.max(0, tokensWithout - (kept ?? 0));
  const bill = { tokensWith, tokensWithout, rewrittenTokens, isGone, caches, last };
  return {
    changes,
    model: last?.model ?? null,
    tokensWith,
    tokensWithout,
    windowTokens: facts.windowTokens,
    isCold: isGone,
    rewrittenTokens,
    headTokens: (kept ?? 0) > 0 || changes.some(({ what }) => what === "tools") ? null : headTokens(ledgers),
    ...pricesOf(bill, facts, atMs),
    thinking: thinkingVerdict(past, changes, facts),
  };
}

/** The last prompt that was counted, and its answer. */
function nextTokens({ requests }: PastRequests): number | null {
  const last = requests.findLast(({ promptTokens }) => promptTokens !== null);
  return last?.promptTokens == null ? null : last.promptTokens + last.outputTokens;
}

/** What comes back less what Ebb put in. */
function growthOf(
  past: PastRequests,
  changes: readonly SentChange[],
  asideBytes: number,
  { bytesPerToken }: PastSizes,
): number {
  let bytes = -asideBytes;
  let tokens = 0;
  for (const { decision } of changes) {
    if (decision === null) continue;
    bytes -= Buffer.byteLength(decision.marker);
    // An attachment has more bytes than what it costs.
    if (decision.originalTokens * 16 < decision.originalBytes) tokens += decision.originalTokens;
    else bytes += decision.originalBytes;
  }
  for (const entry of [...past.requests.flatMap(({ entries }) => entries), ...past.later]) {
    if (entry.type === "tools-offered") bytes -= Buffer.byteLength(entry.json);
    if (entry.type === "note-pinned") bytes -= Buffer.byteLength(entry.note.text);
  }
  return tokens + bytes / bytesPerToken;
}

/** What the next request still reads: the longest prefix in front of the first change that one of its breakpoints finds. */
function keptTokens(
  { standing, requests }: PastRequests,
  [first]: readonly SentChange[],
  atMs: number,
  facts: ModelFacts,
): number {
  const last = requests.at(-1);
  if (last === undefined || first === undefined || first.what === "tools") return 0;
  const { cache, cacheTokensMin } = facts;
  if (cache.kind === "prefix") {
    const tokens = Math.floor((first.tokensBefore ?? 0) / cache.stepTokens) * cache.stepTokens;
    return tokens >= cacheTokensMin ? tokens : 0;
  }
  const countBefore = requests[first.request - 1]?.itemCount ?? 0;
  const entries = liveEntries(standing.entries, last, atMs).filter(({ itemCount }) => itemCount <= countBefore);
  const grown = grownBlocks(requests);
  const found = last.places.flatMap((place) => {
    const moved = { ...place, itemCount: Number.POSITIVE_INFINITY, blockCount: place.blockCount + grown };
    return entryFoundFrom(moved, entries, lookbackOf(facts)) ?? [];
  });
  const tokens = found.map((entry) => entry.tokens ?? tokensAt(requests, entry.itemCount));
  return Math.max(0, ...tokens.filter((count) => count >= cacheTokensMin));
}

/** How far breakpoints move from one request to the next, where the client goes on as it did. */
function grownBlocks(requests: readonly PastRequest[]): number {
  const [before, last] = requests.slice(-2).map(({ places }) => places.at(-1)?.blockCount ?? 0);
  return Math.max(BLOCKS_GROWN_MIN, last === undefined || before === undefined ? 0 : last - before);
}

const BLOCKS_GROWN_MIN = 2;

function tokensAt(requests: readonly PastRequest[], itemCount: number): number {
  return requests.findLast((one) => one.itemCount <= itemCount && one.promptTokens !== null)?.promptTokens ?? 0;
}

/** System prompt and tools as the first request was predicted to have them. */
function headTokens(ledgers: LeavingGround["ledgers"]): number | null {
  for (const { entry } of ledgers.flat()) {
    if (entry.type === "request-sent" && entry.predicted?.place === "head") return entry.predicted.readTokens;
  }
  return null;
}

interface Bill extends Pick<Leaving, "tokensWith" | "tokensWithout" | "rewrittenTokens"> {
  readonly isGone: boolean;
  readonly caches: boolean;
  readonly last: PastRequest | undefined;
}

const MILLION = 1_000_000;
const HOUR_MS = 3_600_000;

function pricesOf(
  { tokensWith, tokensWithout, rewrittenTokens, isGone, caches, last }: Bill,
  facts: ModelFacts,
  atMs: number,
): Pick<Leaving, "costUsd" | "laterUsd"> {
  if (tokensWith === null || tokensWithout === null || rewrittenTokens === null)
    return { costUsd: null, laterUsd: null };
  const prices = pricesAt(facts, tokensWithout, atMs);
  if (prices === null) return { costUsd: null, laterUsd: null };
  const more = tokensWithout - tokensWith;
  if (!caches) return { costUsd: (more * prices.input) / MILLION, laterUsd: (more * prices.input) / MILLION };
  const write = (last?.places.at(-1)?.ttlMs ?? 0) >= HOUR_MS ? prices.cacheWrite1h : prices.cacheWrite5m;
  const answered = last?.outputTokens ?? 0;
  const stays = isGone ? tokensWith * write : (tokensWith - answered) * prices.cacheRead + answered * write;
  const leaves = rewrittenTokens * write + (tokensWithout - rewrittenTokens) * prices.cacheRead;
  const isChanged = rewrittenTokens > 0;
  return { costUsd: isChanged ? (leaves - stays) / MILLION : 0, laterUsd: (more * prices.cacheRead) / MILLION };
}

/** Thinking that came after a change was signed over it. */
function thinkingVerdict(
  { requests }: PastRequests,
  changes: readonly SentChange[],
  facts: ModelFacts,
): ThinkingVerdict {
  const last = requests.at(-1);
  const signed = changes.filter(({ isSignedOver }) => isSignedOver);
  if (facts.thinkingBinding !== "prefix" || last === undefined || signed.length === 0) return "fits";
  const counts = signed.map(
    ({ carriedBy }) => requests[carriedBy ?? requests.length]?.itemCount ?? Number.POSITIVE_INFINITY,
  );
  const first = Math.min(...counts);
  if (last.thoughtCount > first) return "refused";
  const hasThought = last.thoughtCount > 0 || requests.length < 2 || first >= last.itemCount;
  return last.isAnswered && hasThought ? "may be refused" : "fits";
}
