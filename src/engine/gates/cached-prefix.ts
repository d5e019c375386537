import type { Gate } from "../../model/ports.ts";

/** Refuses an item that was sent before while the provider may still hold it in its cache. */
export const cachedPrefix: Gate = {
  reason: "cached_prefix",
  refuse(candidate, view) {
    if (candidate.moment !== null) return null;
    return view.isTrusted
      ? "already sent, and the provider's cache may still hold it"
      : "already sent, and what the provider's cache holds is not known: it did not read what was predicted";
  },
};
