import type { ReleaseReason } from "../../model/decision.ts";
import type { Gate } from "../../model/ports.ts";

/** From this many on, what is read of a file stays. */
const FAULTS = 2;

/** Releases because the content seemed done with. What is too large, or refers to nothing, leaves in any case. */
const GUARDED: ReadonlySet<ReleaseReason> = new Set(["stale", "superseded", "expired"]);

/** Refuses to release more of a file whose releases were missed twice; a deliberate release is not its concern. */
export const thrashGuard: Gate = {
  reason: "thrash_guard",
  refuse({ proposal, item }, view) {
    if (proposal.wish !== null || !GUARDED.has(proposal.reason)) return null;
    const faults = view.faultsOf(item);
    return faults < FAULTS ? null : `what left of its file was missed in ${faults} steps`;
  },
};
