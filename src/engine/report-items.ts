import type { Decision } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import type { ItemRecord, LedgerEntry } from "../model/ledger.ts";
import type { ReportedItem, ReportedScope } from "../model/report.ts";
import type { RecordedWish } from "../model/wish.ts";
import { labelText } from "./marker.ts";
import { firstSeen, type History, isInSpan, spanOfScope } from "./report-span.ts";

/** What the records say of each item. */
interface Holdings {
  readonly items: Map<ItemKey, ItemRecord>;
  /** Items of the asked lineage itself. */
  readonly present: Set<ItemKey>;
  readonly decisions: Map<ItemKey, Decision>;
  readonly wishes: Map<ItemKey, RecordedWish>;
  /** The scope an item was last held with. */
  readonly scopes: Map<ItemKey, string>;
}

/** The items of a working set, or of the whole conversation, oldest first, and where each stands. */
export function reportedItems(history: History, scope: ReportedScope | null): readonly ReportedItem[] {
  const holdings = collect(history);
  const clocks = firstSeen(history);
  const span = spanOfScope(scope);
  const items: ReportedItem[] = [];
  for (const item of holdings.items.values()) {
    const clock = clocks.get(item.key) ?? item;
    const isAcquired = isInSpan(clock.step, span);
    if (!isAcquired && (scope === null || holdings.scopes.get(item.key) !== scope.name)) continue;
    const how = isAcquired ? "acquired" : "declared";
    items.push({ ...placed(item, holdings), how, turn: clock.turn, step: clock.step });
  }
  return items;
}

function placed(
  item: ItemRecord,
  holdings: Holdings,
): Pick<ReportedItem, "address" | "label" | "bytes" | "state" | "left"> {
  const decision = holdings.decisions.get(item.key);
  const common = { address: item.address, label: labelText(item.label), bytes: item.bytes };
  if (decision !== undefined) {
    const { reason, moment, turn, step } = decision;
    return { ...common, state: reason === "kept" ? "kept" : "released", left: { reason, moment, turn, step } };
  }
  if (!holdings.present.has(item.key)) return { ...common, state: "folded", left: null };
  const isAsked = holdings.wishes.get(item.key)?.wish.kind === "release";
  return { ...common, state: isAsked ? "asked" : "held", left: null };
}

function collect(history: History): Holdings {
  const holdings: Holdings = {
    items: new Map(),
    present: new Set(),
    decisions: new Map(),
    wishes: new Map(),
    scopes: new Map(),
  };
  for (const { relation, records } of history) {
    if (relation === "shared") continue;
    for (const { entry } of records) note(entry, relation === "own", holdings);
  }
  return holdings;
}

function note(entry: LedgerEntry, isOwn: boolean, { items, present, decisions, wishes, scopes }: Holdings): void {
  switch (entry.type) {
    case "lineage-opened":
      for (const decision of entry.inherited) decisions.set(decision.itemKey, decision);
      return;
    case "item-acquired":
      items.set(entry.item.key, entry.item);
      if (isOwn) present.add(entry.item.key);
      return;
    case "item-released":
      decisions.set(entry.decision.itemKey, entry.decision);
      return;
    case "item-restored":
      decisions.delete(entry.restoration.itemKey);
      return;
    case "item-wished":
      wishes.set(entry.wish.itemKey, entry.wish);
      return;
    case "item-held":
      if (entry.held.until?.kind === "scope") scopes.set(entry.held.itemKey, entry.held.until.scope);
      else scopes.delete(entry.held.itemKey);
      return;
    default:
      return;
  }
}
