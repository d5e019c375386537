import type { Gate } from "../../model/ports.ts";

/** Refuses an item whose original is exempt from storing: without an original there is no way back. */
export const notStored: Gate = {
  reason: "not_stored",
  refuse(candidate, view) {
    if (candidate.proposal.wish?.kind === "whole") return null;
    return view.isUnstorable(candidate.item.key) ? "a never_store rule or the disk cap keeps its original out" : null;
  },
};
