import type { Gate } from "../../model/ports.ts";

/** Refuses an item that already stands as a marker: a sent form is never rendered again, but by a wish for another. */
export const alreadyMarked: Gate = {
  reason: "already_marked",
  refuse(candidate, view) {
    if (view.echoOf(candidate.item.key) !== null) return "came in as a marker";
    if (candidate.proposal.wish !== null) return null;
    return view.standingOf(candidate.item.key).state === "released" ? "already stands as a marker" : null;
  },
};
