import type { Decision } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";

/** What a lineage last sent: the keys of its history in order, and the decisions that stood in it. */
export interface SentForms {
  readonly keys: readonly ItemKey[];
  readonly decisions: ReadonlyMap<ItemKey, Decision>;
}

/** The forms that a request would send in the same lineage, or in one that leaves it. */
export interface FormsNow {
  readonly keys: readonly ItemKey[];
  readonly inForce: readonly Decision[];
  /** Items that this request decides about, and records. */
  readonly decided: ReadonlySet<ItemKey>;
  /** A history of its own, from which the client may have taken what proved a marker. */
  readonly isFork: boolean;
}

/** Words for the first item whose form would change without a decision; null where each is as it was sent. */
export function unsteadyForm(sent: SentForms, { keys, inForce, decided, isFork }: FormsNow): string | null {
  const now = new Map(inForce.map((decision) => [decision.itemKey, decision]));
  const lost = Array.from(sent.decisions.values()).filter(
    ({ itemKey, marker }) => now.get(itemKey)?.marker !== marker && !decided.has(itemKey),
  );
  if (lost.length > 0) {
    const present = new Set(keys);
    for (const { itemKey, evidenceKey, address } of lost) {
      const isTakenBack = !now.has(itemKey) && isFork && evidenceKey !== null;
      if (present.has(itemKey) && !isTakenBack) return `the marker ${address} would change without a decision`;
    }
  }
  const gained = inForce.filter(({ itemKey }) => !sent.decisions.has(itemKey) && !decided.has(itemKey));
  if (gained.length === 0) return null;
  const sentKeys = new Set(sent.keys);
  const changed = gained.find(({ itemKey }) => sentKeys.has(itemKey));
  return changed === undefined ? null : `the marker ${changed.address} would come without a decision`;
}
