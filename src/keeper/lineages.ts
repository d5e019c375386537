import type { Chain } from "../engine/chain.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { SessionHints } from "../model/session.ts";
import type { Store } from "../model/store.ts";
import { type Lineage, openLineage, type PlaceInput } from "./lineage.ts";
import { createLineageMemory } from "./lineage-memory.ts";
import { type ChainInput, createLineageSearch, type Held, type Peeked } from "./lineage-search.ts";
import { createPredecessors } from "./predecessors.ts";
import { createUnwritten } from "./unwritten.ts";
import { type CacheRequest, createWarmth } from "./warmth.ts";

/** Where a request continues: its lineage, and how many items of its chain were sent already. */
export interface Placement {
  readonly lineage: Lineage;
  /** The lineage that was known before: the same one, or the one that a new lineage leaves behind. */
  readonly known: Lineage;
  readonly sentCount: number;
  /** Until when the provider may hold what was sent, over all lineages of the same root. */
  readonly warmUntilMs: number | null;
  /** How many items at the head of the chain the provider may hold for this request; null where that is not known. */
  readonly cachedCount: number | null;
}

/** The lineages of a store: which one a request continues, and what is known of each. */
export interface Lineages {
  place(input: PlaceInput): Promise<Placement>;
  /** Only what memory knows, for when the store does not answer; null when that proves nothing. */
  placeFromMemory(input: PlaceInput): Placement | null;
  /** A new conversation, by its own content: nothing of it can have been sent before. */
  openFresh(input: PlaceInput): Placement;
  load(tenant: string, id: string): Promise<Lineage>;
  /** The lineage that shares the most of a history; opens none. */
  peek(input: ChainInput): Promise<Peeked | null>;
  /** Only by what memory knows. */
  peekInMemory(input: ChainInput): Peeked | null;
  /** What the provider may hold of a history. */
  heldOf(peeked: Peeked, request: CacheRequest): Promise<Held>;
  readonly count: number;
  forgetAll(): void;
  forget(id: string): void;
  /** The store removed originals: none counts as stored any more. */
  forgetStored(): void;
  noteSent(lineage: Lineage, hasResults: boolean): void;
  /** A request went out that the store could not record. */
  noteUnwritten(lineage: Lineage, chain: Chain): void;
}

/** Lineages on a store; `newId` names the new ones. */
export function createLineages(store: Store, newId: () => string): Lineages {
  const memory = createLineageMemory(store);
  const predecessors = createPredecessors(store, memory.load);
  const warmth = createWarmth(store, memory.load);
  const unwritten = createUnwritten();
  const search = createLineageSearch(store, memory, warmth);

  function open(input: PlaceInput, parent: Lineage | null, position: number, isGuessed = false): Placement {
    const warmUntilMs = parent === null ? null : warmth.untilOf(parent);
    const lineage = openLineage({ id: newId(), input, parent, position, warmUntilMs, isGuessed });
    const sentCount = sentCountOf(input, position);
    return { lineage, known: parent ?? lineage, sentCount, warmUntilMs, cachedCount: null };
  }

  /** The clock is judged by what the request continues, whether it goes on with it or leaves it behind. */
  function settle(input: PlaceInput, { lineage, position }: Peeked, warm: Held): Placement {
    const isOther = position < lineage.standing.itemCount || isOfOtherSession(lineage, input.hints);
    const sentCount = sentCountOf(input, position);
    // Nobody knows under which name that was sent which the store could not record.
    const held = sentCount > position ? { ...warm, cachedCount: null } : warm;
    if (isOther) return { ...open(input, lineage, position), ...held };
    return { lineage, known: lineage, sentCount, ...held };
  }

  function sentCountOf({ hints, chain }: PlaceInput, position: number): number {
    return unwritten.sentCountOf(hints.tenant, chain, position);
  }

  return {
    async place(input) {
      const found = await search.find(input);
      if (found === null) {
        const placement = open(input, await predecessors.of(input.hints), 0);
        // No lineage begins like this one.
        return placement.sentCount === 0 ? { ...placement, cachedCount: 0 } : placement;
      }
      if (found.isStored && found.lineage.seq === 0) {
        throw new EbbError("store_corrupt", "the store has lost the ledger of a conversation it knows");
      }
      return settle(input, found, await search.heldOf(found, input));
    },
    peek: search.find,
    peekInMemory: search.findInMemory,
    heldOf: search.heldOf,
    placeFromMemory(input) {
      const found = search.findInMemory(input);
      if (found === null || found.isOutdated) return null;
      return settle(input, found, { warmUntilMs: warmth.untilOf(found.lineage), cachedCount: null });
    },
    openFresh: (input) => open(input, null, 0, true),
    load: memory.load,
    get count() {
      return memory.count;
    },
    forgetAll: memory.forgetAll,
    forget: memory.forget,
    forgetStored: memory.forgetStored,
    noteUnwritten: (lineage, chain) => unwritten.note(lineage.tenant, chain, lineage.chainStored),
    noteSent(lineage, hasResults) {
      memory.remember(lineage);
      warmth.note(lineage);
      if (hasResults) predecessors.note(lineage);
    },
  };
}

/** A client that resumes under a new id gets a lineage of its own, which inherits everything. */
function isOfOtherSession({ standing }: Lineage, { sessionId }: SessionHints): boolean {
  return sessionId !== null && standing.sessionId !== null && standing.sessionId !== sessionId;
}
