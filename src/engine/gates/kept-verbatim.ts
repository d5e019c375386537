import type { Gate } from "../../model/ports.ts";

const RECALL_ANSWER = /^(?:\s*\d+(?:→|\t))?\[ebb [0-9a-hjkmnp-tv-z]{12}\] /;

/** Refuses text that itself came back by recall: it was asked for on purpose. */
export const keptVerbatim: Gate = {
  reason: "kept_verbatim_after_expand",
  refuse(candidate, view) {
    if (candidate.item.kind !== "result" || candidate.proposal.reason !== "over_bound") return null;
    return RECALL_ANSWER.test(view.textOf(candidate.item)) ? "recalled text, within its exemption" : null;
  },
};
