import type { Declarable } from "../engine/declared.ts";
import type { ItemRecord, LedgerRecord } from "../model/ledger.ts";

/** Results by the call they answer; what is declared of one counts for the attachments in it. */
export type Carriers = ReadonlyMap<string, ItemRecord>;

/** The results among some items. */
export function carriersOf(items: readonly ItemRecord[]): Carriers {
  const carriers = new Map<string, ItemRecord>();
  for (const item of items) if (item.kind === "result" && item.callId !== null) carriers.set(item.callId, item);
  return carriers;
}

/** The results that a ledger knows. */
export function carriersIn(records: readonly LedgerRecord[]): Carriers {
  return carriersOf(records.flatMap(({ entry }) => (entry.type === "item-acquired" ? [entry.item] : [])));
}

/** An acquired item as declarations see it, and behind it the result that carries it. */
export function declarablesOf(item: ItemRecord, carriers: Carriers): readonly Declarable[] {
  const carrier = item.kind === "media" && item.callId !== null ? carriers.get(item.callId) : undefined;
  return (carrier === undefined ? [item] : [item, carrier]).map(({ key, label, absolutePath }) => ({
    key,
    isAcquired: true,
    path: label.path,
    absolutePath,
  }));
}
