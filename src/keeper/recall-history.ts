import type { LedgerRecord } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";

/** The ledger of one lineage. */
export interface History {
  readonly lineage: string;
  readonly records: readonly LedgerRecord[];
  /** When a client's compaction took the window of this lineage; null where it goes on, or nothing tells. */
  readonly foldedAtMs: number | null;
}

/** Ledgers that are loaded for one answer. */
const LEDGERS_MAX = 200;

/** The given lineages and all they continue from, each once: those given first and in their order, then their ancestors. */
export async function historiesOf(
  tenant: string,
  lineages: readonly string[],
  store: Store,
): Promise<readonly History[]> {
  const loaded = new Map<string, readonly LedgerRecord[]>();
  const queue = [...lineages];
  for (let next = queue.shift(); next !== undefined && loaded.size < LEDGERS_MAX; next = queue.shift()) {
    if (loaded.has(next)) continue;
    const records = await store.loadLineage(tenant, next);
    loaded.set(next, records);
    const parent = parentOf(records);
    if (parent !== null) queue.push(parent);
  }
  const folded = foldTimes(loaded);
  return Array.from(loaded, ([lineage, records]) => ({ lineage, records, foldedAtMs: folded.get(lineage) ?? null }));
}

/** A compaction ends the lineage it summarises and those that one continues from, unless they went on afterwards. */
function foldTimes(loaded: ReadonlyMap<string, readonly LedgerRecord[]>): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const records of loaded.values()) {
    for (const { entry, atMs } of records) {
      if (entry.type !== "client-folded") continue;
      for (let at: string | null = entry.fromLineage; at !== null && (times.get(at) ?? 0) < atMs; ) {
        times.set(at, atMs);
        at = parentOf(loaded.get(at) ?? []);
      }
    }
  }
  for (const [lineage, atMs] of times) if (sentAtMs(loaded.get(lineage) ?? []) > atMs) times.delete(lineage);
  return times;
}

function sentAtMs(records: readonly LedgerRecord[]): number {
  return records.findLast(({ entry }) => entry.type === "request-sent")?.atMs ?? 0;
}

function parentOf(records: readonly LedgerRecord[]): string | null {
  const opening = records[0]?.entry;
  return opening?.type === "lineage-opened" ? (opening.parent?.lineage ?? null) : null;
}
