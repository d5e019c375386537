import type { Gate } from "../../model/ports.ts";

/** Refuses a read that an "unchanged" answer in this window points to: what it stands on would leave by itself. */
export const loadBearing: Gate = {
  reason: "load_bearing",
  refuse(candidate, view) {
    if (candidate.proposal.wish !== null) return null;
    const isPointedTo = view.reads.get(candidate.item.key)?.isLoadBearing === true;
    return isPointedTo ? 'a later "unchanged" answer points to this read' : null;
  },
};
