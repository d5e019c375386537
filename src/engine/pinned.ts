import type { Script } from "../model/edit.ts";
import { type PinnedBlock, scriptOfCacheEdits } from "./cache-edits.ts";
import { isReplacing } from "./script.ts";
import type { LineageStanding } from "./standing.ts";

/** What a lineage replays beside the texts that stand in the place of items, of the blocks that its request carries. */
export function pinnedEdits(carried: readonly PinnedBlock[]): Script {
  return scriptOfCacheEdits({ pending: [], blocks: carried });
}

/** The standing as a request sees it: an item that left by a deletion stands in full where no block it carries names it. */
export function standingWith(standing: LineageStanding, carried: readonly PinnedBlock[]): LineageStanding {
  const deleted = new Set(carried.flatMap(({ deletions }) => deletions.map(({ itemKey }) => itemKey)));
  const decisions = Array.from(standing.decisions);
  const kept = decisions.filter(([key, decision]) => isReplacing(decision) || deleted.has(key));
  return kept.length === decisions.length ? standing : { ...standing, decisions: new Map(kept) };
}
