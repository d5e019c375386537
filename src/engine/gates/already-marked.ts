import type { Gate } from "../../model/ports.ts";
import { isReplacing } from "../script.ts";

/** Refuses an item that already stands as a marker: a sent form is never rendered again, but by a wish for another. */
export const alreadyMarked: Gate = {
  reason: "already_marked",
  refuse(candidate, view) {
    if (view.echoOf(candidate.item.key) !== null) return "came in as a marker";
    const standing = view.standingOf(candidate.item.key);
    if (standing.state === "held") return null;
    if (!isReplacing(standing.decision)) return "the provider made it leave: recall brings it back";
    return candidate.proposal.wish === null ? "already stands as a marker" : null;
  },
};
