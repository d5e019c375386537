import type { Decision } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";

/**
 * Index of the first item whose form differs from what the lineage sent before: the first change of a sent
 * item, or `sentCount` where everything sent stands as it was.
 */
export function divergenceOf(
  chainKeys: readonly ItemKey[],
  sentCount: number,
  changes: readonly Pick<Decision, "itemKey">[],
): number {
  if (changes.length === 0) return sentCount;
  const changed = new Set(changes.map(({ itemKey }) => itemKey));
  for (let index = 0; index < sentCount; index++) {
    const key = chainKeys[index];
    if (key !== undefined && changed.has(key)) return index;
  }
  return sentCount;
}
