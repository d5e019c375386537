import type { Gate } from "../../model/ports.ts";

/** Refuses an item that was sent before while the provider may still hold it in its cache. */
export const cachedPrefix: Gate = {
  reason: "cached_prefix",
  refuse(candidate) {
    return candidate.moment === null ? "already sent, and the provider's cache may still hold it" : null;
  },
};
