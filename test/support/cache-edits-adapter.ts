import type { CacheEditsAdapter } from "../../src/wires/anthropic-messages/cache-edits.ts";

/** A way to ask for deletions, for tests: none is documented. */
export const CACHE_EDITS: CacheEditsAdapter = {
  blockType: "cache_edits",
  editsMember: "edits",
  deleteType: "delete",
  referenceMember: "cache_reference",
  needsTextBehind: true,
  betaHeader: "test-cache-edits",
};
