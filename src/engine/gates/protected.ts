import type { Gate } from "../../model/ports.ts";

/** Refuses an item that the user or the agent protected; it may still come back in full. */
export const protectedItem: Gate = {
  reason: "protected",
  refuse(candidate, view) {
    if (candidate.proposal.wish?.kind === "whole") return null;
    return view.isProtected(candidate.item.key) ? "protected by a recorded decision" : null;
  },
};
