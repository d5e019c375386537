import { type Chain, sharedCount } from "../engine/chain.ts";
import { inheritedDecisions, proofsOf } from "../engine/script.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Observations } from "../model/acquisition.ts";
import type { Digest, ItemKey } from "../model/item.ts";
import type { LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { SessionHints } from "../model/session.ts";
import type { ChainMatch, Store } from "../model/store.ts";
import { createUnwritten } from "./unwritten.ts";
import { createWarmth } from "./warmth.ts";

/** A lineage in memory: its standing, and what of it the store does not have yet. */
export interface Lineage {
  readonly tenant: string;
  readonly id: string;
  /** First ancestor: lineages of one root share a warm prefix. Null when it is too far up to be found. */
  readonly root: string | null;
  /** Grows with each request of this process; the lineage used last has the highest. */
  sentOrder: number;
  standing: LineageStanding;
  /** Last `seq` the store holds. */
  seq: number;
  /** Chain positions the store holds. */
  chainStored: number;
  chain: Chain | null;
  /** Entries the store has not taken yet; written with the next commit. */
  pending: readonly LedgerEntry[];
  /** Digests known to be stored in this process's life. */
  readonly stored: Set<Digest>;
  readonly unstorable: Set<ItemKey>;
}

/** Where a request continues: its lineage, and how many items of its chain that lineage already sent. */
export interface Placement {
  readonly lineage: Lineage;
  readonly sentCount: number;
  /** Until when the provider may hold what was sent, over all lineages of the same root. */
  readonly warmUntilMs: number | null;
}

export interface PlaceInput {
  readonly hints: SessionHints;
  readonly chain: Chain;
  readonly observations: Observations;
  readonly atMs: number;
}

export interface Lineages {
  place(input: PlaceInput): Promise<Placement>;
  /** Only what memory knows, for when the store does not answer; null when that proves nothing. */
  placeFromMemory(input: PlaceInput): Placement | null;
  /** A new conversation, by its own content: nothing of it can have been sent before. */
  openFresh(input: PlaceInput): Placement;
  load(tenant: string, id: string): Promise<Lineage>;
  readonly count: number;
  forgetAll(): void;
  forget(id: string): void;
  /** The store removed originals: none counts as stored any more. */
  forgetStored(): void;
  noteSent(lineage: Lineage, hasResults: boolean): void;
  /** A request went out that the store could not record. */
  noteUnwritten(lineage: Lineage, chain: Chain): void;
}

const LINEAGES_MAX = 512;
const SESSIONS_MAX = 4_096;
const PREDECESSORS_MAX = 5;
const LISTED_MAX = 200;
const ROOT_STEPS_MAX = 64;

export function createLineages(store: Store, newId: () => string): Lineages {
  const known = createBoundedMap<string, Lineage>(LINEAGES_MAX);
  const latestOfSession = createBoundedMap<string, string>(SESSIONS_MAX);
  const warmth = createWarmth(store, load);
  const unwritten = createUnwritten();
  let sentOrder = 0;

  async function load(tenant: string, id: string): Promise<Lineage> {
    const cached = known.get(id);
    if (cached !== undefined) return cached;
    const records = await store.loadLineage(tenant, id);
    const standing = foldLedger(EMPTY_STANDING, records);
    const lineage: Lineage = {
      tenant,
      id,
      root: await rootOf(tenant, id, records),
      sentOrder: 0,
      standing,
      seq: standing.seq,
      chainStored: standing.itemCount,
      chain: null,
      pending: [],
      stored: new Set(),
      unstorable: unstorableOf(records),
    };
    known.set(id, lineage);
    return lineage;
  }

  /** Walks up the shared prefixes without keeping what it meets. */
  async function rootOf(tenant: string, id: string, records: readonly LedgerRecord[]): Promise<string | null> {
    let [at, opening] = [id, records[0]?.entry];
    for (let steps = 0; steps < ROOT_STEPS_MAX; steps++) {
      const parent = opening?.type === "lineage-opened" ? opening.parent : null;
      if (parent === null || parent.itemCount === 0) return at;
      const ancestor = known.get(parent.lineage);
      if (ancestor !== undefined) return ancestor.root;
      at = parent.lineage;
      opening = (await store.loadLineage(tenant, at))[0]?.entry;
    }
    return null;
  }

  async function place(input: PlaceInput): Promise<Placement> {
    const { tenant, sessionId } = input.hints;
    const found = await store.findChain(tenant, input.chain.hashes, sessionId);
    const match = deeperOf(found, matchInMemory(input));
    if (match === null) return open(input, await predecessorOf(input.hints), 0);
    const lineage = await loadAt(tenant, match);
    if (match === found && lineage.seq === 0) {
      throw new EbbError("store_corrupt", "the store has lost the ledger of a conversation it knows");
    }
    return settle(input, lineage, match.position, await warmth.untilWithKin(lineage, input.atMs));
  }

  /** Another process may have gone on with a lineage that this one remembers. */
  async function loadAt(tenant: string, { lineage: id, position }: ChainMatch): Promise<Lineage> {
    const lineage = await load(tenant, id);
    if (position <= lineage.standing.itemCount) return lineage;
    known.delete(id);
    return load(tenant, id);
  }

  function settle(input: PlaceInput, lineage: Lineage, position: number, warmUntilMs: number | null): Placement {
    const isOther = position < lineage.standing.itemCount || isOfOtherSession(lineage, input.hints);
    if (isOther) return { ...open(input, lineage, position), warmUntilMs };
    return { lineage, sentCount: sentCountOf(input, position), warmUntilMs };
  }

  function sentCountOf({ hints, chain }: PlaceInput, position: number): number {
    return unwritten.sentCountOf(hints.tenant, chain, position);
  }

  function matchInMemory(input: PlaceInput): ChainMatch | null {
    let best: { readonly lineage: Lineage; readonly position: number } | null = null;
    for (const lineage of known.values()) {
      if (lineage.tenant !== input.hints.tenant || lineage.chain === null) continue;
      const position = sharedCount(input.chain, lineage.chain);
      if (position === 0 || position < (best?.position ?? 0)) continue;
      if (best === null || position > best.position || isNearer(lineage, best.lineage, input.hints)) {
        best = { lineage, position };
      }
    }
    return best === null ? null : { lineage: best.lineage.id, position: best.position };
  }

  function open(input: PlaceInput, parent: Lineage | null, position: number): Placement {
    const id = newId();
    const present = new Set(input.chain.keys);
    const continued = input.observations.isFolded && position === 0 ? parent : null;
    const opening: LedgerEntry = {
      type: "lineage-opened",
      sessionId: input.hints.sessionId,
      agentId: input.hints.agentId,
      parent: parent === null ? null : { lineage: parent.id, itemCount: position },
      inherited:
        parent === null
          ? []
          : inheritedDecisions(parent.standing.decisions, present, proofsOf(input.observations, present)),
      turnsBefore: continued?.standing.clock.turn ?? parent?.standing.turnsBefore ?? 0,
      stepsBefore: continued?.standing.clock.step ?? parent?.standing.stepsBefore ?? 0,
      warmUntilMs: parent === null ? null : warmth.untilOf(parent),
    };
    const pending: LedgerEntry[] = [opening];
    if (continued !== null) pending.push({ type: "client-folded", fromLineage: continued.id });
    const lineage: Lineage = {
      tenant: input.hints.tenant,
      id,
      root: position > 0 && parent !== null ? parent.root : id,
      sentOrder: 0,
      standing: foldLedger(EMPTY_STANDING, recordsOf(pending, 0, input.atMs)),
      seq: 0,
      // The last shared position is written again: who comes back to it meets this lineage, not only its parent.
      chainStored: Math.max(0, position - 1),
      chain: null,
      pending,
      stored: new Set(parent?.stored),
      unstorable: new Set(parent?.unstorable),
    };
    return { lineage, sentCount: sentCountOf(input, position), warmUntilMs: lineage.standing.warmUntilMs };
  }

  async function predecessorOf(hints: SessionHints): Promise<Lineage | null> {
    if (hints.sessionId === null) return null;
    const latest = latestOfSession.get(sessionKey(hints));
    if (latest !== undefined) return load(hints.tenant, latest);
    const listed = await store.listLineages(hints.tenant, LISTED_MAX);
    const ofSession = listed.filter((one) => one.sessionId === hints.sessionId && one.agentId === hints.agentId);
    for (const summary of ofSession.slice(0, PREDECESSORS_MAX)) {
      const lineage = await load(hints.tenant, summary.lineage);
      if (lineage.standing.acquired.size > 0) return lineage;
    }
    return null;
  }

  return {
    place,
    placeFromMemory(input) {
      const match = matchInMemory(input);
      const lineage = match === null ? undefined : known.get(match.lineage);
      return match === null || lineage === undefined
        ? null
        : settle(input, lineage, match.position, warmth.untilOf(lineage));
    },
    openFresh: (input) => open(input, null, 0),
    load,
    get count() {
      return known.size;
    },
    forgetAll() {
      for (const lineage of Array.from(known.values())) known.delete(lineage.id);
    },
    forget: (id) => known.delete(id),
    forgetStored() {
      for (const lineage of known.values()) lineage.stored.clear();
    },
    noteUnwritten: (lineage, chain) => unwritten.note(lineage.tenant, chain, lineage.chainStored),
    noteSent(lineage, hasResults) {
      lineage.sentOrder = ++sentOrder;
      known.set(lineage.id, lineage);
      warmth.note(lineage);
      const { sessionId, agentId } = lineage.standing;
      if (sessionId === null || !hasResults) return;
      latestOfSession.set(sessionKey({ tenant: lineage.tenant, sessionId, agentId }), lineage.id);
    },
  };
}

/** Entries as records that follow `seq`. */
export function recordsOf(entries: readonly LedgerEntry[], seq: number, atMs: number): readonly LedgerRecord[] {
  return entries.map((entry, index) => ({ seq: seq + index + 1, atMs, entry }));
}

function deeperOf(left: ChainMatch | null, right: ChainMatch | null): ChainMatch | null {
  if (left === null) return right;
  return right !== null && right.position > left.position ? right : left;
}

/** A client that resumes under a new id gets a lineage of its own, which inherits everything. */
function isOfOtherSession({ standing }: Lineage, { sessionId }: SessionHints): boolean {
  return sessionId !== null && standing.sessionId !== null && standing.sessionId !== sessionId;
}

function isNearer(left: Lineage, right: Lineage, { sessionId }: SessionHints): boolean {
  const [isLeftOwn, isRightOwn] = [left, right].map((one) => one.standing.sessionId === sessionId);
  return isLeftOwn === isRightOwn ? left.sentOrder > right.sentOrder : isLeftOwn === true;
}

function sessionKey(hints: Pick<SessionHints, "tenant" | "sessionId" | "agentId">): string {
  return JSON.stringify([hints.tenant, hints.sessionId, hints.agentId]);
}

function unstorableOf(records: readonly LedgerRecord[]): Set<ItemKey> {
  const keys = new Set<ItemKey>();
  for (const { entry } of records) {
    if (entry.type === "item-acquired" && !entry.item.isStored) keys.add(entry.item.key);
  }
  return keys;
}
