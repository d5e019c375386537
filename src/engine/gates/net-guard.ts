import type { ReleaseReason } from "../../model/decision.ts";
import type { Gate } from "../../model/ports.ts";

/** Releases that are there to save. What is too large, or refers to nothing, leaves in any case. */
const GUARDED: ReadonlySet<ReleaseReason> = new Set(["stale", "superseded", "expired"]);

/** Refuses new releases in a lineage where Ebb cost more than it saved; a deliberate release is not its concern. */
export const netGuard: Gate = {
  reason: "does_not_pay",
  refuse({ proposal }, view) {
    if (!view.isNetGuarded || !GUARDED.has(proposal.reason)) return null;
    return "in this conversation Ebb cost more than it saved over the last 50 requests: nothing new leaves by rule";
  },
};
