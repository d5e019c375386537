import type { Script } from "../model/edit.ts";
import type { Transcript } from "../model/transcript.ts";
import type { LineageStanding } from "./standing.ts";

/** What a lineage replays beside the texts that stand in the place of items. */
export function pinnedEdits(_standing: LineageStanding, _transcript: Transcript): Script {
  return [];
}
