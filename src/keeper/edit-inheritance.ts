import { inheritedEdits } from "../engine/cache-edit-moves.ts";
import { type CacheEditEntry, foldCacheEdits, NO_CACHE_EDITS, stageOf } from "../engine/cache-edits.ts";
import { isReplacing } from "../engine/script.ts";
import type { LineageStanding } from "../engine/standing.ts";
import type { Boundary } from "../model/cache-edit.ts";
import type { Decision } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";

/** The deletions that a new history takes over, with the decisions behind them. */
export interface InheritedDeletions {
  readonly entries: readonly CacheEditEntry[];
  readonly decisions: readonly Decision[];
}

/**
 * Deletions whose anchor and results stand in the items that both histories share. They are asked for as they were, whatever else the
 * new history holds, so their decisions come with them; no other decision of which a deletion was the moment does.
 */
export function inheritedDeletions(
  { cacheEdits, decisions }: LineageStanding,
  shared: readonly ItemKey[],
  boundary: Exclude<Boundary, "rewind"> | null,
): InheritedDeletions {
  const entries = inheritedEdits(cacheEdits, new Set(shared), boundary);
  const kept = foldCacheEdits(NO_CACHE_EDITS, entries);
  const deleting = Array.from(decisions.values()).filter((decision) => !isReplacing(decision));
  return { entries, decisions: deleting.filter(({ itemKey }) => stageOf(kept, itemKey) !== null) };
}
