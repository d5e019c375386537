import type { Gate } from "../../model/ports.ts";

/** Refuses text that itself came back by recall, while it is exempt; a deliberate release ends that. */
export const keptVerbatim: Gate = {
  reason: "kept_verbatim_after_expand",
  refuse({ proposal, item }, view) {
    return proposal.wish === null ? view.exemptionOf(item) : null;
  },
};
