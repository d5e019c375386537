import type { ItemRecord, LedgerRecord } from "../model/ledger.ts";
import type { FoundItem, Store } from "../model/store.ts";

/** What the header of a recall says where the ledger proves that the file changed after the item was acquired. */
const CHANGED_WORDS = "The file was changed later in this conversation: what is on disk now may differ.";

const LISTED_MAX = 200;
/** Ledgers of the session that are asked for a proof beside the item's own. */
const LEDGERS_MAX = 8;

/** Words where the ledger proves a later change of the file an item came from; null where it proves none, which proves nothing. */
export async function noteOnChange(tenant: string, found: FoundItem, store: Store): Promise<string | null> {
  const { item, lineage, sessionId } = found;
  if (item.label.path === null) return null;
  if (provesChange(await store.loadLineage(tenant, lineage), item, true)) return CHANGED_WORDS;
  if (sessionId === null) return null;
  const others = (await store.listLineages(tenant, LISTED_MAX)).filter(
    (other) => other.sessionId === sessionId && other.lineage !== lineage,
  );
  const family = new Set([lineage]);
  // The oldest first: a lineage is met after the one it continues.
  for (const other of others.slice(0, LEDGERS_MAX).reverse()) {
    const records = await store.loadLineage(tenant, other.lineage);
    const isContinued = family.has(parentOf(records));
    if (isContinued) family.add(other.lineage);
    if (provesChange(records, item, isContinued)) return CHANGED_WORDS;
  }
  return null;
}

/**
 * A release as stale was proven when it was decided. A change proves it where its steps are those of the item's history:
 * one of a later step, because calls of one step may stand before the item.
 */
function provesChange(records: readonly LedgerRecord[], item: ItemRecord, countsSteps: boolean): boolean {
  return records.some(({ entry }) => {
    if (entry.type === "item-released") {
      return entry.decision.itemKey === item.key && entry.decision.reason === "stale";
    }
    if (entry.type !== "change-seen" || !countsSteps) return false;
    const { path, outcome, step } = entry.change;
    return path !== null && path === item.absolutePath && outcome === "ok" && step > item.step;
  });
}

function parentOf(records: readonly LedgerRecord[]): string {
  const opening = records[0]?.entry;
  return opening?.type === "lineage-opened" ? (opening.parent?.lineage ?? "") : "";
}
