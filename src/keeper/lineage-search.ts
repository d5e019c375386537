import type { ChainMatch, Store } from "../model/store.ts";
import type { Lineage, PlaceInput } from "./lineage.ts";
import type { LineageMemory } from "./lineage-memory.ts";
import type { CacheRequest, Warmth } from "./warmth.ts";

/** A lineage, and how many items of its chain it shares with a history. */
export interface Peeked {
  readonly lineage: Lineage;
  readonly position: number;
}

/** What the provider may hold of a history: until when, and how many items at its head; null where that is not known. */
export interface Held {
  readonly warmUntilMs: number | null;
  readonly cachedCount: number | null;
}

export type ChainInput = Pick<PlaceInput, "hints" | "chain">;

/** Finds lineages by the chain of a history; opens none. */
export interface LineageSearch {
  /** The one that shares the most. `isStored`: the store named it. */
  find(input: ChainInput): Promise<(Peeked & { readonly isStored: boolean }) | null>;
  /** Only by what memory knows. `isOutdated`: another process has gone on with one that shares as much. */
  findInMemory(input: ChainInput): (Peeked & { readonly isOutdated: boolean }) | null;
  heldOf(peeked: Peeked, request: CacheRequest): Promise<Held>;
}

/** A search in memory and the store. */
export function createLineageSearch(store: Store, memory: LineageMemory, warmth: Warmth): LineageSearch {
  return {
    async find(input) {
      const { tenant, sessionId } = input.hints;
      const found = await store.findChain(tenant, input.chain.hashes, sessionId);
      const match = deeperOf(found, memory.match(input));
      if (match === null) return null;
      const { position } = match;
      return { lineage: await loadAt(tenant, match, memory), position, isStored: match === found };
    },
    findInMemory(input) {
      const match = memory.match(input);
      const lineage = match === null ? undefined : memory.get(match.lineage);
      if (match === null || lineage === undefined) return null;
      return { lineage, position: match.position, isOutdated: memory.isOutdated(input, match) };
    },
    heldOf: async ({ lineage, position }, request) => ({
      warmUntilMs: await warmth.untilWithKin(lineage, request),
      cachedCount: await warmth.cachedCount(lineage, position, request),
    }),
  };
}

/** Another process may have gone on with a lineage that this one remembers. */
async function loadAt(tenant: string, { lineage: id, position }: ChainMatch, memory: LineageMemory): Promise<Lineage> {
  const lineage = await memory.load(tenant, id);
  if (position <= lineage.standing.itemCount) return lineage;
  memory.forget(id);
  return memory.load(tenant, id);
}

function deeperOf(left: ChainMatch | null, right: ChainMatch | null): ChainMatch | null {
  if (left === null) return right;
  return right !== null && right.position > left.position ? right : left;
}
