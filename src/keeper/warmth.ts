import { isCold } from "../engine/moment.ts";
import { EMPTY_STANDING, foldLedger } from "../engine/standing.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import type { Store } from "../model/store.ts";
import type { Lineage } from "./lineage.ts";

/** Until when the provider may hold what a lineage sent; all lineages of one root keep their shared prefix warm. */
export interface Warmth {
  note(lineage: Lineage): void;
  /** By what this process saw; null when no lifetime is on record. */
  untilOf(lineage: Lineage): number | null;
  /** The same, and what other processes and earlier runs recorded, asked for only where it would decide. */
  untilWithKin(lineage: Lineage, nowMs: number): Promise<number | null>;
}

const ROOTS_MAX = 512;
const LISTED_MAX = 200;
/** The longest cache lifetime a request can ask for; an older request keeps nothing warm. */
const LIFETIME_MAX_MS = 60 * 60 * 1_000;

/** The clock of the provider's cache, over all lineages of one root. */
export function createWarmth(store: Store, load: (tenant: string, id: string) => Promise<Lineage>): Warmth {
  const untilByRoot = createBoundedMap<string, number>(ROOTS_MAX);

  function untilOf(lineage: Lineage): number | null {
    const own = lineage.standing.warmUntilMs;
    if (own === null || lineage.root === null) return null;
    return Math.max(own, untilByRoot.get(lineage.root) ?? 0);
  }

  return {
    untilOf,
    note({ root, standing: { warmUntilMs } }) {
      if (root === null || warmUntilMs === null) return;
      untilByRoot.set(root, Math.max(warmUntilMs, untilByRoot.get(root) ?? 0));
    },
    async untilWithKin(lineage, nowMs) {
      const seen = untilOf(lineage);
      if (seen === null || !isCold(seen, nowMs)) return seen;
      const listed = await store.listLineages(lineage.tenant, LISTED_MAX);
      const recent = listed.filter((one) => !isCold(one.lastAtMs + LIFETIME_MAX_MS, nowMs));
      if (recent.length === LISTED_MAX) return null;
      let until = seen;
      for (const { lineage: id } of recent) {
        const kin = await load(lineage.tenant, id);
        if (kin.root === null) return null;
        if (kin.root !== lineage.root) continue;
        const recorded = foldLedger(EMPTY_STANDING, await store.loadLineage(lineage.tenant, id));
        until = Math.max(until, recorded.warmUntilMs ?? 0);
      }
      return until;
    },
  };
}
