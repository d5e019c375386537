import { EMPTY_STANDING, foldLedger } from "../engine/standing.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { NotedBoundary } from "../model/noted-boundary.ts";
import type { Store } from "../model/store.ts";
import { mainLineageOf } from "./order-lineage.ts";

/** What a client tells of one of its conversations, by a hook of its own. */
export interface ToldBoundary {
  readonly what: NotedBoundary;
  /** The hook's name and what it stated. */
  readonly source: string;
  readonly sessionId: string;
  /** The sub-agent it is about; null: the conversation itself. */
  readonly agentId: string | null;
}

const LISTED_MAX = 200;
/** So many others may write at the same moment: sub-agents end together. */
const ATTEMPTS_MAX = 32;

/**
 * Records what a client told in the ledger of the conversation it is about. Answers that lineage; null where none is known, as
 * of a conversation that does not go through Ebb. Throws `EbbError` when the store fails.
 */
export async function noteBoundary(
  tenant: string,
  told: ToldBoundary,
  atMs: number,
  store: Store,
): Promise<string | null> {
  const lineage = await lineageOf(tenant, told, store);
  if (lineage === null) return null;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { clock, seq: expectedSeq } = foldLedger(EMPTY_STANDING, await store.loadLineage(tenant, lineage));
    const entry: LedgerEntry = { type: "boundary-noted", what: told.what, source: told.source, ...clock };
    const commit = { tenant, lineage, expectedSeq, atMs, entries: [entry], chain: [], originals: [] };
    if ((await store.commit(commit)).ok) return lineage;
  }
  throw new EbbError("store_locked", "other writers changed the lineage faster than a boundary could be noted");
}

async function lineageOf(tenant: string, { sessionId, agentId }: ToldBoundary, store: Store): Promise<string | null> {
  const listed = await store.listLineages(tenant, LISTED_MAX);
  if (agentId === null) return mainLineageOf(sessionId, listed, tenant, store);
  return listed.find((one) => one.sessionId === sessionId && one.agentId === agentId)?.lineage ?? null;
}
