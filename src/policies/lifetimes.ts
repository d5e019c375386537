import type { Proposal } from "../model/decision.ts";
import type { Policy } from "../model/ports.ts";

const NAME = "lifetimes";

/** Proposes items whose declared lifetime, or the configured one of their kind, is over. */
export const lifetimes: Policy = {
  name: NAME,
  propose(view) {
    const proposals: Proposal[] = [];
    for (const item of view.transcript.items) {
      if (view.expiryOf(item.key) === null || view.standingOf(item.key).state === "released") continue;
      proposals.push({
        itemKey: item.key,
        policy: NAME,
        reason: "expired",
        markerMode: "full",
        evidenceKey: null,
        wish: null,
        waitsForFree: false,
        allowsCold: true,
        isForced: false,
      });
    }
    return { proposals, declines: [] };
  },
};
