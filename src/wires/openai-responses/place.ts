import { joinMessage, type Placement, placeMessage } from "../shared/placement.ts";
import { sealSeed } from "../shared/seed.ts";
import type { ResponsesSeed } from "./seed.ts";

/** Where parts of a list of entries end. */
interface Bounds {
  /** Entries that belong to the header: their messages have no items. */
  readonly openings: number;
  /** Entries before it may only take forms that were sent before. */
  readonly sealedEnd: number;
}

/** How many entries the list begins with that a system or developer says. */
export function openingCount(entries: readonly ResponsesSeed[]): number {
  const first = entries.findIndex(({ opening }) => opening === null);
  return first === -1 ? entries.length : first;
}

/** Places what is not placed yet: what the model said in a row as one message, every other entry as one of its own. */
export function placeEntries(placement: Placement, entries: readonly ResponsesSeed[], bounds: Bounds): void {
  for (let index = placement.entries.length; index < entries.length; index += 1) {
    const entry = entries[index];
    if (entry === undefined) return;
    const read = index < bounds.openings ? [] : entry.seeds;
    const seeds = index < bounds.sealedEnd ? read.map(sealSeed) : read;
    const isJoined = entry.speaker === "assistant" && entries[index - 1]?.speaker === "assistant";
    if (isJoined) joinMessage(placement, seeds);
    else placeMessage(placement, entry.speaker, seeds);
  }
}
