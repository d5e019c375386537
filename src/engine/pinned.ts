import type { Script } from "../model/edit.ts";
import { type PinnedBlock, scriptOfCacheEdits } from "./cache-edits.ts";
import { isReplacing } from "./script.ts";
import { type CarriedClear, noteEdits } from "./server-clear.ts";
import type { LineageStanding } from "./standing.ts";

/** What one request repeats of what the provider makes leave. */
export interface Repeated {
  readonly blocks: readonly PinnedBlock[];
  readonly clear: CarriedClear | null;
}

/** What a lineage replays beside the texts that stand in the place of items, of what its request repeats, and its notes. */
export function pinnedEdits({ blocks, clear }: Repeated, { serverClear }: LineageStanding): Script {
  return [
    ...scriptOfCacheEdits({ pending: [], blocks }),
    ...noteEdits(serverClear),
    ...(clear === null ? [] : [clear.edit]),
  ];
}

/** The standing as a request sees it: an item that the provider made leave stands in full where the request asks for it no more. */
export function standingWith(standing: LineageStanding, { blocks, clear }: Repeated): LineageStanding {
  const asked = [...blocks.flatMap(({ deletions }) => deletions), ...(clear?.leaving ?? [])];
  const leaving = new Set(asked.map(({ itemKey }) => itemKey));
  const decisions = Array.from(standing.decisions);
  const kept = decisions.filter(([key, decision]) => isReplacing(decision) || leaving.has(key));
  return kept.length === decisions.length ? standing : { ...standing, decisions: new Map(kept) };
}
