import type { Chain } from "../engine/chain.ts";
import { inheritedDecisions } from "../engine/script.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Digest, ItemKey } from "../model/item.ts";
import type { LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { SessionHints } from "../model/session.ts";
import type { ChainMatch, Store } from "../model/store.ts";

/** A lineage in memory: its standing, and what of it the store does not have yet. */
export interface Lineage {
  readonly tenant: string;
  readonly id: string;
  /** First ancestor: lineages of one root share a warm prefix. */
  readonly root: string;
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
  readonly isFolded: boolean;
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
  noteSent(lineage: Lineage, hasResults: boolean): void;
}

const LINEAGES_MAX = 512;
const SESSIONS_MAX = 4_096;
const PREDECESSORS_MAX = 5;
const LISTED_MAX = 200;

export function createLineages(store: Store, newId: () => string): Lineages {
  const known = createBoundedMap<string, Lineage>(LINEAGES_MAX);
  const latestOfSession = createBoundedMap<string, string>(SESSIONS_MAX);
  const warmByRoot = createBoundedMap<string, number>(LINEAGES_MAX);

  async function load(tenant: string, id: string): Promise<Lineage> {
    const cached = known.get(id);
    if (cached !== undefined) return cached;
    const records = await store.loadLineage(tenant, id);
    const standing = foldLedger(EMPTY_STANDING, records);
    const lineage: Lineage = {
      tenant,
      id,
      root: standing.parent ?? id,
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

  async function place(input: PlaceInput): Promise<Placement> {
    const { tenant, sessionId } = input.hints;
    const found = await store.findChain(tenant, input.chain.hashes, sessionId);
    const match = deeperOf(found, matchInMemory(input));
    if (match === null) return open(input, await predecessorOf(input.hints), 0);
    const lineage = await load(tenant, match.lineage);
    if (match === found && lineage.seq === 0) {
      throw new EbbError("store_corrupt", "the store has lost the ledger of a conversation it knows");
    }
    return settle(input, lineage, match.position);
  }

  function settle(input: PlaceInput, lineage: Lineage, position: number): Placement {
    if (position < lineage.standing.itemCount) return open(input, lineage, position);
    return { lineage, sentCount: position, warmUntilMs: warmUntil(lineage) };
  }

  function matchInMemory(input: PlaceInput): ChainMatch | null {
    let best: ChainMatch | null = null;
    for (const lineage of known.values()) {
      const position = lineage.standing.itemCount;
      if (lineage.tenant !== input.hints.tenant || lineage.chain === null || position === 0) continue;
      if (input.chain.hashes[position - 1] !== lineage.chain.hashes[position - 1]) continue;
      if (best === null || position > best.position) best = { lineage: lineage.id, position };
    }
    return best;
  }

  function open(input: PlaceInput, parent: Lineage | null, sentCount: number): Placement {
    const id = newId();
    const continued = input.isFolded && sentCount === 0 ? parent : null;
    const opening: LedgerEntry = {
      type: "lineage-opened",
      sessionId: input.hints.sessionId,
      agentId: input.hints.agentId,
      parent: parent === null ? null : { lineage: parent.id, itemCount: sentCount },
      inherited: parent === null ? [] : inheritedDecisions(parent.standing.decisions, new Set(input.chain.keys)),
      turnsBefore: continued?.standing.clock.turn ?? parent?.standing.turnsBefore ?? 0,
      stepsBefore: continued?.standing.clock.step ?? parent?.standing.stepsBefore ?? 0,
      warmUntilMs: parent === null ? null : warmUntil(parent),
    };
    const pending: LedgerEntry[] = [opening];
    if (continued !== null) pending.push({ type: "client-folded", fromLineage: continued.id });
    const lineage: Lineage = {
      tenant: input.hints.tenant,
      id,
      root: sentCount > 0 && parent !== null ? parent.root : id,
      standing: foldLedger(EMPTY_STANDING, recordsOf(pending, 0, input.atMs)),
      seq: 0,
      chainStored: sentCount,
      chain: null,
      pending,
      stored: new Set(parent?.stored),
      unstorable: new Set(parent?.unstorable),
    };
    return { lineage, sentCount, warmUntilMs: lineage.standing.warmUntilMs };
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

  function warmUntil(lineage: Lineage): number | null {
    const ofRoot = warmByRoot.get(lineage.root) ?? null;
    const own = lineage.standing.warmUntilMs;
    if (ofRoot === null || own === null) return ofRoot ?? own;
    return Math.max(ofRoot, own);
  }

  return {
    place,
    placeFromMemory(input) {
      const match = matchInMemory(input);
      const lineage = match === null ? undefined : known.get(match.lineage);
      return match === null || lineage === undefined ? null : settle(input, lineage, match.position);
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
    noteSent(lineage, hasResults) {
      known.set(lineage.id, lineage);
      const { sessionId, agentId, warmUntilMs } = lineage.standing;
      if (warmUntilMs !== null) warmByRoot.set(lineage.root, Math.max(warmUntilMs, warmByRoot.get(lineage.root) ?? 0));
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
