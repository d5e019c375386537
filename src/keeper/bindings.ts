import { type Declared, protectionOf, spanOf } from "../engine/declared.ts";
import type { LineageStanding } from "../engine/standing.ts";
import type { ItemRecord, LedgerEntry } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";

/** What declarations about paths say of items acquired just now, as entries of the items: from here on they stand alone. */
export function bindingsOf(
  items: readonly ItemRecord[],
  { deliberate }: LineageStanding,
  clock: Clock,
): readonly LedgerEntry[] {
  if (deliberate.pathSpans.size === 0 && deliberate.pathProtections.size === 0) return [];
  return items.flatMap((item): readonly LedgerEntry[] => {
    const { key, label, absolutePath } = item;
    const declarable = { key, isAcquired: false, path: label.path, absolutePath };
    return [
      ...entriesFrom("item-held", item, spanOf(declarable, deliberate, clock)),
      ...entriesFrom("item-protected", item, protectionOf(declarable, deliberate, clock)),
    ];
  });
}

function entriesFrom(
  type: "item-held" | "item-protected",
  { key, address }: ItemRecord,
  declared: Declared | null,
): readonly LedgerEntry[] {
  if (declared === null || declared.isOwn) return [];
  const { until, reason, by } = declared.declaration;
  return [{ type, held: { itemKey: key, address, until, reason, by } }];
}
