import { type CacheEntries, mergedEntries, NO_ENTRIES, reachOf } from "../engine/cache-entries.ts";
import { type Caches, cachedCountOf, LIFETIME_MAX_MS, liveCount, mergedCaches, NO_CACHES } from "../engine/caches.ts";
import { isCold } from "../engine/moment.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import type { Store } from "../model/store.ts";
import type { Lineage, PlaceInput } from "./lineage.ts";

/** What the provider may hold of what a lineage sent; all lineages of one root keep their shared prefix warm. */
export interface Warmth {
  note(lineage: Lineage): void;
  /** Until when, by what this process saw; null when no lifetime is on record. */
  untilOf(lineage: Lineage): number | null;
  /** The same, and what other processes and earlier runs recorded, asked for only where it would decide. */
  untilWithKin(lineage: Lineage, request: Pick<CacheRequest, "lifetimeMs" | "atMs">): Promise<number | null>;
  /**
   * How many of the first `position` items may be held under the request's name, by what anybody recorded of the root. No
   * lineage shares more than `position` items with the request. Null when that is not known.
   */
  cachedCount(lineage: Lineage, position: number, request: CacheRequest): Promise<number | null>;
}

/** What tells which cache entries a request can read. */
export type CacheRequest = Pick<PlaceInput, "cache" | "breakpoints" | "lifetimeMs" | "atMs">;

const ROOTS_MAX = 512;
const LISTED_MAX = 200;
const STANDINGS_MAX = 64;

interface ReadStanding {
  readonly root: string;
  readonly seq: number;
  readonly standing: LineageStanding;
}

interface Warm {
  readonly untilMs: number;
  readonly caches: Caches;
  readonly entries: CacheEntries;
}

const NOTHING_WARM: Warm = { untilMs: 0, caches: NO_CACHES, entries: NO_ENTRIES };

/** What is warm, over all lineages of one root. */
export function createWarmth(store: Store, load: (tenant: string, id: string) => Promise<Lineage>): Warmth {
  const warmByRoot = createBoundedMap<string, Warm>(ROOTS_MAX);
  /** Ledgers that were read, so that none is read again before it grew. */
  const standingsRead = createBoundedMap<string, ReadStanding>(STANDINGS_MAX);

  function warmOf(root: string): Warm {
    return warmByRoot.get(root) ?? NOTHING_WARM;
  }

  function untilOf(lineage: Lineage): number | null {
    const own = lineage.standing.warmUntilMs;
    if (own === null || lineage.root === null) return null;
    return Math.max(own, warmOf(lineage.root).untilMs);
  }

  /** What lineages of the root stand at that were used within the longest lifetime; null when not all can be found. */
  async function kinOf(
    { tenant, root, id: own, seq: ownSeq }: Lineage,
    { atMs: nowMs, lifetimeMs }: Pick<CacheRequest, "lifetimeMs" | "atMs">,
  ): Promise<readonly LineageStanding[] | null> {
    const longestMs = Math.max(LIFETIME_MAX_MS, lifetimeMs ?? 0);
    const listed = await store.listLineages(tenant, LISTED_MAX);
    const recent = listed.filter((one) => !isCold(one.lastAtMs + longestMs, nowMs));
    if (recent.length === LISTED_MAX) return null;
    const standings: LineageStanding[] = [];
    for (const { lineage: id, seq } of recent) {
      // What stands in memory is what the store has.
      if (id === own && seq === ownSeq) continue;
      const known = standingsRead.get(id);
      if (known?.seq === seq) {
        if (known.root === root) standings.push(known.standing);
        continue;
      }
      const kin = await load(tenant, id);
      if (kin.root === null) return null;
      if (kin.root !== root) continue;
      const standing = foldLedger(EMPTY_STANDING, await store.loadLineage(tenant, id));
      standingsRead.set(id, { root, seq, standing });
      standings.push(standing);
    }
    return standings;
  }

  return {
    untilOf,
    note({ root, standing: { warmUntilMs, caches, entries } }) {
      if (root === null) return;
      const known = warmOf(root);
      warmByRoot.set(root, {
        untilMs: Math.max(warmUntilMs ?? 0, known.untilMs),
        caches: mergedCaches(known.caches, caches),
        entries: mergedEntries(known.entries, entries),
      });
    },
    async untilWithKin(lineage, request) {
      const seen = untilOf(lineage);
      if (seen === null || !isCold(seen, request.atMs)) return seen;
      const kin = await kinOf(lineage, request);
      return kin === null ? null : Math.max(seen, ...kin.map(({ warmUntilMs }) => warmUntilMs ?? 0));
    },
    async cachedCount(lineage, position, request) {
      if (lineage.root === null) return null;
      const seen = [warmOf(lineage.root), lineage.standing];
      if (countOf(seen, position, request) >= position) return position;
      const kin = await kinOf(lineage, request);
      return kin === null ? null : Math.min(position, countOf([...seen, ...kin], position, request));
    },
  };
}

/** What all of them may hold of the request: no more than they sent, and no more than its breakpoints find. */
function countOf(
  held: readonly Pick<Warm, "caches" | "entries">[],
  position: number,
  { cache, breakpoints, atMs }: CacheRequest,
): number {
  const sent = Math.max(...held.map(({ caches }) => cachedCountOf(caches, cache, atMs)));
  if (breakpoints === null) return sent;
  const unnamed = Math.max(...held.map(({ caches }) => liveCount(caches.unnamed, atMs)));
  const reading = { cache, breakpoints, atMs, sameCount: position };
  return Math.min(sent, Math.max(unnamed, ...held.map(({ entries }) => reachOf(entries, reading))));
}
