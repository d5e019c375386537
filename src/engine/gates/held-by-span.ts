import type { Gate } from "../../model/ports.ts";

/** Refuses an item whose declared lifetime still runs; a deliberate release ends it all the same. */
export const heldBySpan: Gate = {
  reason: "held_by_span",
  refuse({ proposal, item }, view) {
    if (proposal.wish !== null || !view.isHeldBySpan(item.key)) return null;
    return "declared to stay until a turn, a step or a scope that is not over";
  },
};
