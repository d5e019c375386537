import { foldLedger } from "../engine/standing.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import { chainRows } from "./chain-rows.ts";
import { recordsOf } from "./lineage.ts";
import type { Lineages } from "./lineages.ts";

const ATTEMPTS_MAX = 4;

/** Entries beside a request, for the ledger of a lineage that the store has. */
export interface Note {
  readonly tenant: string;
  readonly lineage: string;
  readonly atMs: number;
  readonly entries: readonly LedgerEntry[];
}

/** Appends to a lineage's ledger, again where another writer was first. Throws `EbbError` when the store fails. */
export async function appendNote(
  { tenant, lineage: id, atMs, entries }: Note,
  lineages: Pick<Lineages, "load" | "forget">,
  store: Store,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const lineage = await lineages.load(tenant, id);
    // What was sent meanwhile is found by its chain alone.
    const chain = lineage.chain === null ? [] : chainRows(lineage.chain, lineage.chainStored);
    const outcome = await store.commit({
      tenant,
      lineage: id,
      expectedSeq: lineage.seq,
      atMs,
      // What the store did not take before stands in front of it.
      entries: [...lineage.pending, ...entries],
      chain,
      originals: [],
    });
    if (outcome.ok) {
      lineage.standing = foldLedger(lineage.standing, recordsOf(entries, lineage.standing.seq, atMs));
      lineage.seq = outcome.seq;
      lineage.pending = [];
      lineage.chainStored += chain.length;
      return;
    }
    if (outcome.kind === "full") {
      throw new EbbError("store_full", `the store's cap of ${outcome.bytesMax} bytes is reached`);
    }
    lineages.forget(id);
  }
  throw new EbbError("store_locked", "other writers changed the lineage faster than a note could be appended");
}
