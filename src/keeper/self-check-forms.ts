import type { Decision } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";

/** What a lineage last sent: the keys of its history, and the decisions that stood in it; both in order. */
export interface SentForms {
  readonly keys: readonly ItemKey[];
  readonly decisions: readonly Decision[];
}

/** The forms that a request would send in the same lineage, or in one that leaves it. */
export interface FormsNow {
  readonly keys: readonly ItemKey[];
  /** In the order of their items. */
  readonly inForce: readonly Decision[];
  /** Items that this request decides about, and records. */
  readonly decided: ReadonlySet<ItemKey>;
  /** A history of its own, from which the client may have taken what proved a marker. */
  readonly isFork: boolean;
  /** A fork does not take over what was decided from this turn on. */
  readonly undoneTurn: number;
}

/** True where the same markers stand in the same items. */
export function areSameForms(left: readonly Decision[], right: readonly Decision[]): boolean {
  if (left.length !== right.length) return false;
  return left.every(({ itemKey, marker }, at) => right[at]?.itemKey === itemKey && right[at]?.marker === marker);
}

/** Words for the first item whose form would change without a decision; null where each is as it was sent. */
export function unsteadyForm(sent: SentForms, now: FormsNow): string | null {
  if (areSameForms(sent.decisions, now.inForce)) return null;
  return lostForm(sent, now) ?? gainedForm(sent, now);
}

function lostForm(sent: SentForms, { keys, inForce, decided, isFork, undoneTurn }: FormsNow): string | null {
  const now = new Map(inForce.map((decision) => [decision.itemKey, decision]));
  const present = new Set(keys);
  for (const { itemKey, marker, evidenceKey, address, turn } of sent.decisions) {
    if (now.get(itemKey)?.marker === marker || decided.has(itemKey) || !present.has(itemKey)) continue;
    const isTakenBack = !now.has(itemKey) && isFork && (evidenceKey !== null || turn >= undoneTurn);
    if (!isTakenBack) return `the marker ${address} would change without a decision`;
  }
  return null;
}

function gainedForm(sent: SentForms, { inForce, decided }: FormsNow): string | null {
  const before = new Set(sent.decisions.map(({ itemKey }) => itemKey));
  const sentKeys = new Set(sent.keys);
  const gained = inForce.find(({ itemKey }) => sentKeys.has(itemKey) && !before.has(itemKey) && !decided.has(itemKey));
  return gained === undefined ? null : `the marker ${gained.address} would come without a decision`;
}
