import type { Proposal } from "../model/decision.ts";
import type { Policy } from "../model/ports.ts";

const NAME = "stubrepair";

/** Proposes a truthful pointer for an "unchanged" answer whose earlier read is not in this window. */
export const stubRepair: Policy = {
  name: NAME,
  propose(view) {
    const proposals: Proposal[] = [];
    for (const read of view.reads.values()) {
      if (!read.isUnchangedStub || view.lostReadOf(read.resultKey) === null) continue;
      proposals.push({
        itemKey: read.resultKey,
        policy: NAME,
        reason: "stub_repair",
        markerMode: "full",
        evidenceKey: null,
        wish: null,
        waitsForFree: false,
        allowsCold: false,
        isForced: false,
      });
    }
    return { proposals, declines: [] };
  },
};
