import { sharedCount } from "../engine/chain.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import type { LedgerRecord } from "../model/ledger.ts";
import type { SessionHints } from "../model/session.ts";
import type { ChainMatch, Store } from "../model/store.ts";
import { type Lineage, loadedLineage, type PlaceInput } from "./lineage.ts";

/** Lineages this process knows; what it forgets comes back from the store. */
export interface LineageMemory {
  readonly count: number;
  get(id: string): Lineage | undefined;
  load(tenant: string, id: string): Promise<Lineage>;
  /** The longest chain in memory that the request continues; of equals the session's own, then the one used last. */
  match(input: Pick<PlaceInput, "hints" | "chain">): ChainMatch | null;
  /** True where another process has gone on with a lineage that shares as much of the request's history as `match`, or more. */
  isOutdated(input: Pick<PlaceInput, "hints" | "chain">, match: ChainMatch): boolean;
  remember(lineage: Lineage): void;
  /** The ledger has moved on without this process: what was known of the lineage proves nothing until it is loaded again. */
  forget(id: string): void;
  forgetAll(): void;
  forgetStored(): void;
}

const LINEAGES_MAX = 512;
const ROOT_STEPS_MAX = 64;

/** An empty memory on a store. */
export function createLineageMemory(store: Store): LineageMemory {
  const known = createBoundedMap<string, Lineage>(LINEAGES_MAX);
  const outdated = createBoundedMap<string, Lineage>(LINEAGES_MAX);
  let sentOrder = 0;
  return {
    get count() {
      return known.size;
    },
    get: (id) => known.get(id),
    async load(tenant, id) {
      const cached = known.get(id);
      if (cached !== undefined) return cached;
      const records = await store.loadLineage(tenant, id);
      const root = await rootOf({ tenant, id, records }, store, (parent) => known.get(parent));
      const lineage = loadedLineage(tenant, id, root, records);
      const before = outdated.get(id);
      lineage.chain = before?.chain ?? null;
      lineage.sentOrder = before?.sentOrder ?? 0;
      outdated.delete(id);
      known.set(id, lineage);
      return lineage;
    },
    match: (input) => longestMatch(input, known.values()),
    isOutdated: (input, match) => (longestMatch(input, outdated.values())?.position ?? 0) >= match.position,
    remember(lineage) {
      lineage.sentOrder = ++sentOrder;
      known.set(lineage.id, lineage);
    },
    forget(id) {
      const lineage = known.get(id);
      if (lineage !== undefined) outdated.set(id, lineage);
      known.delete(id);
    },
    forgetAll() {
      for (const lineage of Array.from(known.values())) known.delete(lineage.id);
    },
    forgetStored() {
      for (const lineage of known.values()) lineage.stored.clear();
    },
  };
}

interface Stored {
  readonly tenant: string;
  readonly id: string;
  readonly records: readonly LedgerRecord[];
}

/** Walks up the shared prefixes without keeping what it meets. */
async function rootOf(
  { tenant, id, records }: Stored,
  store: Store,
  known: (id: string) => Lineage | undefined,
): Promise<string | null> {
  let at = id;
  let opening = records[0]?.entry;
  for (let steps = 0; steps < ROOT_STEPS_MAX; steps++) {
    const parent = opening?.type === "lineage-opened" ? opening.parent : null;
    if (parent === null || parent.itemCount === 0) return at;
    const ancestor = known(parent.lineage);
    if (ancestor !== undefined) return ancestor.root;
    at = parent.lineage;
    opening = (await store.loadLineage(tenant, at))[0]?.entry;
  }
  return null;
}

function longestMatch(
  { hints, chain }: Pick<PlaceInput, "hints" | "chain">,
  lineages: Iterable<Lineage>,
): ChainMatch | null {
  let best: { readonly lineage: Lineage; readonly position: number } | null = null;
  for (const lineage of lineages) {
    if (lineage.tenant !== hints.tenant || lineage.chain === null) continue;
    const position = sharedCount(chain, lineage.chain);
    if (position === 0 || position < (best?.position ?? 0)) continue;
    if (best === null || position > best.position || isNearer(lineage, best.lineage, hints)) {
      best = { lineage, position };
    }
  }
  return best === null ? null : { lineage: best.lineage.id, position: best.position };
}

function isNearer(left: Lineage, right: Lineage, { sessionId }: SessionHints): boolean {
  const isLeftOwn = left.standing.sessionId === sessionId;
  const isRightOwn = right.standing.sessionId === sessionId;
  return isLeftOwn === isRightOwn ? left.sentOrder > right.sentOrder : isLeftOwn;
}
