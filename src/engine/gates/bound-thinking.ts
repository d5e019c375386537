import type { Gate } from "../../model/ports.ts";
import { passesThinking } from "../bound-moments.ts";

/** Refuses to rewrite anything before a thinking block on models that sign thinking over what was sent before it, unless it goes as well. */
export const boundThinking: Gate = {
  reason: "bound_thinking",
  refuse(candidate, view) {
    const { item } = candidate;
    if (view.isRefused && view.exposureOf(item) !== "new") {
      return "the provider refused signed thinking of this conversation: nothing that was sent changes any more";
    }
    if (view.model.thinkingBinding !== "prefix" || view.thinkingBehind(item) === null) return null;
    if (passesThinking(candidate, view)) return null;
    return view.model.isKnown
      ? "a later thinking block is signed over it on this model"
      : "a later thinking block may be signed over it: the model is not known";
  },
};
