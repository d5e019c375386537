import type { Gate } from "../../model/ports.ts";

/** Refuses an item that the user or the agent protected. */
export const protectedItem: Gate = {
  reason: "protected",
  refuse(candidate, view) {
    return view.isProtected(candidate.item.key) ? "protected by a recorded decision" : null;
  },
};
