import type { CachePlace } from "../model/cache.ts";
import type { Digest, ItemKey } from "../model/item.ts";
import type { LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "./standing.ts";

/** One request of a history, as its ledgers tell of it. */
export interface PastRequest extends Clock {
  readonly itemCount: number;
  readonly model: string | null;
  /** Where it went; undefined where that is not on record. */
  readonly provider: string | undefined;
  readonly cacheKey: Digest;
  readonly cacheTtlMs: number | null;
  readonly places: readonly CachePlace[];
  /** Items up to and including the last thinking in it; 0 for none. */
  readonly thoughtCount: number;
  /** Tokens of the prompt and of the answer as the provider counted them; null where it told none. */
  readonly promptTokens: number | null;
  readonly outputTokens: number;
  readonly isAnswered: boolean;
  /** What was recorded since the request before it, for it. */
  readonly entries: readonly LedgerEntry[];
}

/** The requests that led to where a conversation stands. */
export interface PastRequests {
  readonly standing: LineageStanding;
  /** Oldest first; those of earlier histories as far as they are shared. */
  readonly requests: readonly PastRequest[];
  /** What was recorded after the last one. */
  readonly later: readonly LedgerEntry[];
}

/** Reads a history from the ledgers of its ancestors and its own, the oldest first. */
export function pastRequests(ledgers: readonly (readonly LedgerRecord[])[]): PastRequests {
  const standing = foldLedger(EMPTY_STANDING, ledgers.at(-1) ?? []);
  const limits = sharedCounts(ledgers);
  const requests: PastRequest[] = [];
  let later: readonly LedgerEntry[] = [];
  for (const [index, records] of ledgers.entries()) {
    const all = requestsIn(records);
    const limit = limits[index] ?? 0;
    const shared = all.requests.filter(({ itemCount }) => itemCount <= limit);
    const beyond = all.requests.slice(shared.length).flatMap(({ entries }) => entries);
    const [first, ...rest] = shared;
    if (first !== undefined) requests.push({ ...first, entries: [...later, ...first.entries] }, ...rest);
    const left = first === undefined ? later : [];
    later = [
      ...left,
      ...[...beyond, ...all.later].filter((entry) => isLast(index, ledgers) || isShared(entry, standing)),
    ];
  }
  return { standing, requests, later };
}

function isLast(index: number, ledgers: readonly unknown[]): boolean {
  return index === ledgers.length - 1;
}

/** Of what an earlier history acquired behind the place where this one left it only that is meant which stands here too. */
function isShared(entry: LedgerEntry, { acquired }: LineageStanding): boolean {
  return entry.type === "tools-offered" || (entry.type === "item-acquired" && acquired.has(entry.item.key));
}

/** How many items at the head of each history are those of the last one. */
function sharedCounts(ledgers: readonly (readonly LedgerRecord[])[]): readonly number[] {
  const counts = new Array<number>(ledgers.length).fill(Number.POSITIVE_INFINITY);
  let limit = Number.POSITIVE_INFINITY;
  for (let index = ledgers.length - 1; index > 0; index--) {
    const opening = ledgers[index]?.[0]?.entry;
    limit = Math.min(limit, opening?.type === "lineage-opened" ? (opening.parent?.itemCount ?? 0) : 0);
    counts[index - 1] = limit;
  }
  return counts;
}

function requestsIn(records: readonly LedgerRecord[]): {
  readonly requests: readonly PastRequest[];
  readonly later: readonly LedgerEntry[];
} {
  const answers = new Map<string, Extract<LedgerEntry, { type: "response-seen" }>>();
  for (const { entry } of records) if (entry.type === "response-seen") answers.set(entry.requestId, entry);
  const requests: PastRequest[] = [];
  let entries: LedgerEntry[] = [];
  for (const { entry } of records) {
    if (entry.type !== "request-sent") {
      entries.push(entry);
      continue;
    }
    const { itemCount, model, provider, cacheKey, cacheTtlMs, turn, step } = entry;
    const answer = answers.get(entry.requestId);
    requests.push({
      itemCount,
      model,
      provider,
      cacheKey,
      cacheTtlMs,
      turn,
      step,
      places: entry.breakpoints ?? [],
      thoughtCount: entry.thoughtCount ?? 0,
      promptTokens: tokensOf(answer?.usage ?? null),
      outputTokens: answer?.usage?.outputTokens ?? 0,
      isAnswered: answer !== undefined && answer.status >= 200 && answer.status < 300,
      entries,
    });
    entries = [];
  }
  return { requests, later: entries };
}

function tokensOf(usage: Extract<LedgerEntry, { type: "response-seen" }>["usage"]): number | null {
  if (usage === null) return null;
  const tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return tokens === 0 ? null : tokens;
}

/** Where each item stands: the request that brought it, and its place among what that brought. */
export function placesOfItems({
  requests,
}: PastRequests): ReadonlyMap<ItemKey, { readonly request: number; readonly order: number }> {
  const places = new Map<ItemKey, { readonly request: number; readonly order: number }>();
  for (const [request, { entries }] of requests.entries()) {
    let order = 0;
    for (const entry of entries) {
      if (entry.type !== "item-acquired") continue;
      if (!places.has(entry.item.key)) places.set(entry.item.key, { request, order });
      order++;
    }
  }
  return places;
}
