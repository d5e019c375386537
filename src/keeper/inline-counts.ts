import type { AsidePlace } from "../model/aside.ts";
import type { KeeperStats } from "./contract.ts";

/** Counts of tools inside the stream. */
export interface InlineCounts {
  /** A conversation began to offer them. */
  noteOffered(): void;
  /** The model called them in a message. */
  noteAside(place: AsidePlace): void;
  counts(): Pick<KeeperStats, "inline">;
}

/** None offered, none called. */
export function createInlineCounts(): InlineCounts {
  const inline = { offered: 0, asides: 0, rounds: 0 };
  return {
    noteOffered: () => {
      inline.offered++;
    },
    noteAside: (place) => {
      inline.asides++;
      if (place === "round") inline.rounds++;
    },
    counts: () => ({ inline: { ...inline } }),
  };
}
