import { type BoundedMap, createBoundedMap } from "../lib/bounded-map.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { DeclineReason } from "../model/decision.ts";
import type { LineageSummary, Store } from "../model/store.ts";
import type { Mode } from "./contract.ts";
import type { Draft, DraftInput } from "./draft.ts";
import { type LineageFacts, lineageFacts } from "./status-facts.ts";
import type { TokenMemo } from "./token-memo.ts";

/** One conversation in a few figures. Tokens and money are estimates; null is unknown, never zero. */
export interface Status {
  readonly lineage: string;
  readonly session: string | null;
  readonly model: string | null;
  /** When its last request went out, Unix time. */
  readonly at_ms: number;
  readonly window_tokens: number | null;
  readonly released_tokens: number;
  /** Tokens of what would leave and has no moment; null where this process planned no request of it. */
  readonly waiting_tokens: number | null;
  /** Of the whole session, sub-agents and forks included. */
  readonly net_usd: number | null;
  readonly guarded_since_ms: number | null;
}

export type StatusAnswer =
  /** `status` null: no such conversation is on record. */
  | { readonly ok: true; readonly mode: Mode; readonly paused: boolean; readonly status: Status | null }
  | { readonly ok: false; readonly failure: "store unavailable"; readonly words: string };

/** Which conversation: of the session that is named, else the one used last. */
export interface StatusQuery {
  readonly tenant: string;
  readonly sessionId: string | null;
}

/** What this process remembers for status lines; what it forgets is worked out again, but for what waits. */
export interface StatusBoard {
  /** Notes what a planned request left waiting. */
  noteWaiting(input: DraftInput, draft: Draft, tokens: TokenMemo): void;
  waitingOf(lineage: string): number | null;
  factsOf(tenant: string, summary: LineageSummary, store: Store): Promise<LineageFacts>;
}

const LINEAGES_MAX = 1_024;
const LISTED_MAX = 200;
/** Where a session is named that is not among the newest. */
const SEARCHED_MAX = 20_000;
const BYTES_PER_TOKEN = 4;

/** What a policy wants to leave, and only a moment is missing. */
const WAITING: ReadonlySet<DeclineReason> = new Set([
  "cached_prefix",
  "does_not_pay",
  "bound_thinking",
  "unknown_boundary",
]);

/** A board with nothing on it. */
export function createStatusBoard(): StatusBoard {
  const waiting = createBoundedMap<string, number>(LINEAGES_MAX);
  const known: BoundedMap<string, { readonly seq: number; readonly facts: LineageFacts }> =
    createBoundedMap(LINEAGES_MAX);
  return {
    noteWaiting(input, draft, tokens) {
      waiting.set(input.placement.lineage.id, waitingTokens(input, draft, tokens));
    },
    waitingOf: (lineage) => waiting.get(lineage) ?? null,
    async factsOf(tenant, { lineage, seq }, store) {
      const name = JSON.stringify([tenant, lineage]);
      const before = known.get(name);
      if (before?.seq === seq) return before.facts;
      const facts = lineageFacts(await store.loadLineage(tenant, lineage));
      known.set(name, { seq, facts });
      return facts;
    },
  };
}

/** The figures of one conversation, from the ledger and what the board remembers. Never throws for the store. */
export async function statusOf(
  { tenant, sessionId }: StatusQuery,
  desk: { readonly store: Store; readonly board: StatusBoard; readonly mode: Mode; readonly isPaused: boolean },
): Promise<StatusAnswer> {
  const { store, board, mode, isPaused } = desk;
  try {
    const isMeant = (one: LineageSummary): boolean =>
      one.agentId === null && (sessionId === null || one.sessionId === sessionId);
    const newest = await store.listLineages(tenant, LISTED_MAX);
    const isSearched = sessionId !== null && newest.length === LISTED_MAX && !newest.some(isMeant);
    const listed = isSearched ? await store.listLineages(tenant, SEARCHED_MAX) : newest;
    const last = listed.find(isMeant);
    if (last === undefined) return { ok: true, mode, paused: isPaused, status: null };
    const own = listed.filter((one) => one.sessionId === last.sessionId);
    const facts = new Map<string, LineageFacts>();
    for (const one of own) facts.set(one.lineage, await board.factsOf(tenant, one, store));
    const main = mainOf(own, facts) ?? last;
    const { model, sentAtMs, windowTokens, releasedTokens, guardedSinceMs } = await board.factsOf(tenant, main, store);
    const status: Status = {
      lineage: main.lineage,
      session: main.sessionId,
      model,
      at_ms: sentAtMs,
      window_tokens: windowTokens,
      released_tokens: releasedTokens,
      waiting_tokens: board.waitingOf(main.lineage),
      net_usd: netOf(last.sessionId === null ? [main.lineage] : Array.from(facts.keys()), facts),
      guarded_since_ms: guardedSinceMs,
    };
    return { ok: true, mode, paused: isPaused, status };
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return { ok: false, failure: "store unavailable", words: error.message };
  }
}

/** Of a session's lineages that hold anything the one used last, sub-agents apart. */
function mainOf(own: readonly LineageSummary[], facts: ReadonlyMap<string, LineageFacts>): LineageSummary | null {
  let main: LineageSummary | null = null;
  let sentAtMs = -1;
  for (const one of own) {
    const told = facts.get(one.lineage);
    if (one.agentId !== null || told?.isConversation !== true || told.sentAtMs <= sentAtMs) continue;
    main = one;
    sentAtMs = told.sentAtMs;
  }
  return main;
}

/** Null where nothing was measured, or something has no price. */
function netOf(lineages: readonly string[], facts: ReadonlyMap<string, LineageFacts>): number | null {
  let usd = 0;
  let measured = 0;
  for (const lineage of lineages) {
    const told = facts.get(lineage);
    if (told === undefined || told.measured === 0) continue;
    if (told.netUsd === null) return null;
    usd += told.netUsd;
    measured += told.measured;
  }
  return measured === 0 ? null : usd;
}

/** Nothing is counted for it on the way: what was not counted yet is estimated by its bytes. */
function waitingTokens({ source }: DraftInput, { declines, view }: Draft, tokens: TokenMemo): number {
  let sum = 0;
  for (const { itemKey, reason } of declines) {
    const item = itemKey === null || !WAITING.has(reason) ? null : view.itemOf(itemKey);
    if (item === null) continue;
    const known = item.kind === "media" ? tokens.tokensOf(item, source) : tokens.known(item.digest);
    sum += known ?? Math.ceil(item.bytes / BYTES_PER_TOKEN);
  }
  return sum;
}
