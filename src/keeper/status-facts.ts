import { EMPTY_STANDING, foldLedger } from "../engine/standing.ts";
import type { LedgerRecord } from "../model/ledger.ts";
import type { Usage } from "../model/usage.ts";

/** What one lineage's ledger tells a status line. */
export interface LineageFacts {
  readonly sessionId: string | null;
  /** Acquired something, or goes on with a conversation that its client compacted. */
  readonly isConversation: boolean;
  /** When the last request went out, Unix time; 0 where none did. */
  readonly sentAtMs: number;
  readonly model: string | null;
  /** Tokens of the last prompt that the provider counted; null where it counted none. */
  readonly windowTokens: number | null;
  /** Tokens of the originals of all that left and stays so. */
  readonly releasedTokens: number;
  /** What its requests cost beyond the same ones without Ebb, and how many of them are known; null: of one no price is on record. */
  readonly netUsd: number | null;
  readonly measured: number;
  readonly guardedSinceMs: number | null;
}

/** Reads them from a ledger. */
export function lineageFacts(records: readonly LedgerRecord[]): LineageFacts {
  const standing = foldLedger(EMPTY_STANDING, records);
  let netUsd: number | null = 0;
  let measured = 0;
  let windowTokens: number | null = null;
  let sent: { readonly atMs: number; readonly model: string | null } = { atMs: 0, model: null };
  let isConversation = false;
  for (const { entry, atMs } of records) {
    if (entry.type === "request-sent") sent = { atMs, model: entry.model };
    if (entry.type === "item-acquired" || entry.type === "client-folded") isConversation = true;
    if (entry.type !== "response-seen") continue;
    windowTokens = promptTokens(entry.usage) ?? windowTokens;
    if (entry.net === undefined) continue;
    measured++;
    netUsd = netUsd === null || entry.net.usd === null ? null : netUsd + entry.net.usd;
  }
  const released = Array.from(standing.decisions.values(), ({ originalTokens }) => originalTokens);
  return {
    sessionId: standing.sessionId,
    isConversation,
    sentAtMs: sent.atMs,
    model: sent.model,
    windowTokens,
    releasedTokens: released.reduce((sum, tokens) => sum + tokens, 0),
    netUsd,
    measured,
    guardedSinceMs: standing.guarded?.atMs ?? null,
  };
}

/** Tokens of a prompt as the provider counted them; null where it told none. */
export function promptTokens(usage: Usage | null): number | null {
  if (usage === null) return null;
  const tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return tokens === 0 ? null : tokens;
}
