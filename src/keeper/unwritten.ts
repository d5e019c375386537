import type { Chain } from "../engine/chain.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";

/** What went out while the store could not write it: it counts as sent, whatever becomes of its lineage in memory. */
export interface Unwritten {
  /** Everything of the chain behind its first `storedCount` items was sent, and is in no ledger. */
  note(tenant: string, chain: Chain, storedCount: number): void;
  /** How many items at the head of the chain were sent, at least `sentCount`. */
  sentCountOf(tenant: string, chain: Chain, sentCount: number): number;
}

const HASHES_MAX = 100_000;

/** Remembers by chain hash, so that only the very same history counts. */
export function createUnwritten(): Unwritten {
  const sent = createBoundedMap<string, true>(HASHES_MAX);
  return {
    note(tenant, { hashes }, storedCount) {
      for (const hash of hashes.slice(storedCount)) sent.set(`${tenant} ${hash}`, true);
    },
    sentCountOf(tenant, { hashes }, sentCount) {
      if (sent.size === 0) return sentCount;
      for (let count = hashes.length; count > sentCount; count--) {
        if (sent.get(`${tenant} ${hashes[count - 1]}`) !== undefined) return count;
      }
      return sentCount;
    },
  };
}
