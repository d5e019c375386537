import type { Gate } from "../../model/ports.ts";

/** Refuses to rewrite anything before a thinking block on models that sign thinking over what was sent before it. */
export const boundThinking: Gate = {
  reason: "bound_thinking",
  refuse(candidate, view) {
    if (view.model.thinkingBinding !== "prefix" || view.thinkingBehind(candidate.item) === null) return null;
    return view.model.isKnown
      ? "a later thinking block is signed over it on this model"
      : "a later thinking block may be signed over it: the model is not known";
  },
};
