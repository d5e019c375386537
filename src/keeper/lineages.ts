import type { Chain } from "../engine/chain.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { SessionHints } from "../model/session.ts";
import type { ChainMatch, Store } from "../model/store.ts";
import { type Lineage, openLineage, type PlaceInput } from "./lineage.ts";
import { createLineageMemory, type LineageMemory } from "./lineage-memory.ts";
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
  heldOf(peeked: Peeked, request: CacheRequest): Promise<Warm>;
  readonly count: number;
  forgetAll(): void;
  forget(id: string): void;
  /** The store removed originals: none counts as stored any more. */
  forgetStored(): void;
  noteSent(lineage: Lineage, hasResults: boolean): void;
  /** A request went out that the store could not record. */
  noteUnwritten(lineage: Lineage, chain: Chain): void;
}

/** A lineage, and how many items of its chain it shares with a history. */
export interface Peeked {
  readonly lineage: Lineage;
  readonly position: number;
}

type ChainInput = Pick<PlaceInput, "hints" | "chain">;

type Warm = Pick<Placement, "warmUntilMs" | "cachedCount">;

/** Lineages on a store; `newId` names the new ones. */
export function createLineages(store: Store, newId: () => string): Lineages {
  const memory = createLineageMemory(store);
  const predecessors = createPredecessors(store, memory.load);
  const warmth = createWarmth(store, memory.load);
  const unwritten = createUnwritten();

  function open(input: PlaceInput, parent: Lineage | null, position: number, isGuessed = false): Placement {
    const warmUntilMs = parent === null ? null : warmth.untilOf(parent);
    const lineage = openLineage({ id: newId(), input, parent, position, warmUntilMs, isGuessed });
    const sentCount = sentCountOf(input, position);
    return { lineage, known: parent ?? lineage, sentCount, warmUntilMs, cachedCount: null };
  }

  /** The clock is judged by what the request continues, whether it goes on with it or leaves it behind. */
  function settle(input: PlaceInput, lineage: Lineage, position: number, warm: Warm): Placement {
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

  async function matchesOf(input: ChainInput) {
    const found = await store.findChain(input.hints.tenant, input.chain.hashes, input.hints.sessionId);
    return { found, match: deeperOf(found, memory.match(input)) };
  }

  async function heldOf({ lineage, position }: Peeked, request: CacheRequest): Promise<Warm> {
    return {
      warmUntilMs: await warmth.untilWithKin(lineage, request.atMs),
      cachedCount: await warmth.cachedCount(lineage, position, request),
    };
  }

  return {
    async place(input) {
      const { tenant } = input.hints;
      const { found, match } = await matchesOf(input);
      if (match === null) {
        const placement = open(input, await predecessors.of(input.hints), 0);
        // No lineage begins like this one.
        return placement.sentCount === 0 ? { ...placement, cachedCount: 0 } : placement;
      }
      const lineage = await loadAt(tenant, match, memory);
      if (match === found && lineage.seq === 0) {
        throw new EbbError("store_corrupt", "the store has lost the ledger of a conversation it knows");
      }
      const { position } = match;
      return settle(input, lineage, position, await heldOf({ lineage, position }, input));
    },
    async peek(input) {
      const { match } = await matchesOf(input);
      if (match === null) return null;
      return { lineage: await loadAt(input.hints.tenant, match, memory), position: match.position };
    },
    peekInMemory(input) {
      const match = memory.match(input);
      const lineage = match === null ? undefined : memory.get(match.lineage);
      return match === null || lineage === undefined ? null : { lineage, position: match.position };
    },
    heldOf,
    placeFromMemory(input) {
      const match = memory.match(input);
      const lineage = match === null ? undefined : memory.get(match.lineage);
      if (match === null || lineage === undefined || memory.isOutdated(input, match)) return null;
      return settle(input, lineage, match.position, { warmUntilMs: warmth.untilOf(lineage), cachedCount: null });
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

/** A client that resumes under a new id gets a lineage of its own, which inherits everything. */
function isOfOtherSession({ standing }: Lineage, { sessionId }: SessionHints): boolean {
  return sessionId !== null && standing.sessionId !== null && standing.sessionId !== sessionId;
}
