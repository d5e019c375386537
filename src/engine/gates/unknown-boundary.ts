import type { Gate } from "../../model/ports.ts";

/** Refuses an item of which Ebb did not see whether it was sent before: an unknown boundary counts as cached. */
export const unknownBoundary: Gate = {
  reason: "unknown_boundary",
  refuse(candidate, view) {
    if (candidate.moment !== null || view.exposureOf(candidate.item) !== "unknown") return null;
    return "first seen in the middle of a conversation; it may stand in the provider's cache";
  },
};
