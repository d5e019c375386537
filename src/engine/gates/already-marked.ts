import type { Gate } from "../../model/ports.ts";

/** Refuses an item that already stands as a marker: a sent marker is never rendered again. */
export const alreadyMarked: Gate = {
  reason: "already_marked",
  refuse(candidate, view) {
    return view.standingOf(candidate.item.key).state === "released" ? "already stands as a marker" : null;
  },
};
