import type { Decision } from "../model/decision.ts";
import type { Script } from "../model/edit.ts";
import type { ItemKey } from "../model/item.ts";

/** The edits that replay the given decisions, in their order. */
export function scriptOf(decisions: Iterable<Decision>): Script {
  return Array.from(decisions, (decision) => ({
    kind: "replace" as const,
    itemKey: decision.itemKey,
    text: decision.marker,
  }));
}

/**
 * The decisions a new lineage takes over from the one it continues: those whose item it contains and whose proof it
 * contains as well. A read whose edit was rewound away stands in full again, since its marker would no longer be true.
 */
export function inheritedDecisions(
  decisions: ReadonlyMap<ItemKey, Decision>,
  present: ReadonlySet<ItemKey>,
): readonly Decision[] {
  return Array.from(decisions.values()).filter(
    (decision) => present.has(decision.itemKey) && (decision.evidenceKey === null || present.has(decision.evidenceKey)),
  );
}
