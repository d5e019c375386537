import type { Observations } from "../model/acquisition.ts";
import type { Decision } from "../model/decision.ts";
import type { Script } from "../model/edit.ts";
import type { ItemKey } from "../model/item.ts";

/** The edits that replay the given decisions, in their order. */
export function scriptOf(decisions: Iterable<Decision>): Script {
  return Array.from(decisions)
    .filter(isReplacing)
    .map((decision) => ({ kind: "replace" as const, itemKey: decision.itemKey, text: decision.marker }));
}

/** False where the provider makes the item leave instead: then its marker is a line of the note and nothing of Ebb's stands in its place. */
export function isReplacing({ moment }: Pick<Decision, "moment">): boolean {
  return moment !== "native" && moment !== "server-clear";
}

/**
 * The decisions a new lineage takes over from the one it continues: those whose item it contains and whose proof it
 * contains as well. A read whose edit was rewound away stands in full again, since its marker would no longer be true.
 */
export function inheritedDecisions(
  decisions: ReadonlyMap<ItemKey, Decision>,
  present: ReadonlySet<ItemKey>,
  isProof: (evidenceKey: ItemKey) => boolean,
): readonly Decision[] {
  return Array.from(decisions.values()).filter(
    ({ itemKey, evidenceKey }) => present.has(itemKey) && (evidenceKey === null || isProof(evidenceKey)),
  );
}

/**
 * Keys that still prove something in a history: texts of the harness, and calls whose results do. A call that was
 * interrupted in this history proves nothing, whatever its result was in another.
 */
export function proofsOf({ acquisitions }: Observations, present: ReadonlySet<ItemKey>): (key: ItemKey) => boolean {
  const fruitless = new Set<ItemKey>();
  for (const { acquisition, callKey } of acquisitions) {
    if (acquisition.outcome !== "ok" && acquisition.changes.length === 0) fruitless.add(callKey);
  }
  return (key) => present.has(key) && !fruitless.has(key);
}
