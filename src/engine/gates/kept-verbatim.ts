import type { Gate } from "../../model/ports.ts";

const RECALL_ANSWER = /^\[ebb ([0-9a-hjkmnp-tv-z]{12})\] /;

/**
 * Refuses text that itself came back by recall: it was asked for on purpose. The command has to name the address that
 * the text begins with; a file that only looks like an answer is a file.
 */
export const keptVerbatim: Gate = {
  reason: "kept_verbatim_after_expand",
  refuse({ item }, view) {
    if (item.kind !== "result") return null;
    const acquisition = view.acquisitions.get(item.key)?.acquisition;
    if (acquisition?.kind !== "run" || acquisition.command?.includes("recall") !== true) return null;
    const address = RECALL_ANSWER.exec(view.textOf(item))?.[1];
    return address !== undefined && acquisition.command.includes(address) ? "recalled text is kept verbatim" : null;
  },
};
