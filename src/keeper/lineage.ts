import { type CacheMarks, sharedEntries } from "../engine/cache-entries.ts";
import type { CacheName } from "../engine/caches.ts";
import type { Chain } from "../engine/chain.ts";
import { isTrusted } from "../engine/confidence.ts";
import { inheritedDecisions, proofsOf } from "../engine/script.ts";
import { inheritedServerClear } from "../engine/server-clear.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import type { Observations } from "../model/acquisition.ts";
import type { Decision } from "../model/decision.ts";
import type { Digest, ItemKey } from "../model/item.ts";
import type { LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { SessionHints } from "../model/session.ts";
import { inheritedDeletions } from "./edit-inheritance.ts";
import { carried } from "./lineage-inheritance.ts";
import { inheritedThinking } from "./signed-thinking.ts";

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
  /** Digests the store was asked to keep in this process's life. */
  readonly stored: Set<Digest>;
  readonly unstorable: Set<ItemKey>;
  /** Opened while the store did not answer: another conversation that began the same way may be in the store. */
  readonly isGuessed: boolean;
}

/** What tells where a request continues. */
export interface PlaceInput {
  readonly hints: SessionHints;
  readonly chain: Chain;
  readonly observations: Observations;
  /** Whose cache entries the request can use. */
  readonly cache: CacheName;
  /** Where it has cache breakpoints; null where the provider caches without any. */
  readonly breakpoints: CacheMarks | null;
  /** How long the provider may keep what requests like it leave; null where nothing is on record. */
  readonly lifetimeMs: number | null;
  readonly atMs: number;
}

/** How a new lineage begins. */
export interface Opening {
  readonly id: string;
  readonly input: PlaceInput;
  readonly parent: Lineage | null;
  /** Items it shares with its parent. */
  readonly position: number;
  readonly warmUntilMs: number | null;
  readonly isGuessed: boolean;
}

/** A lineage that no store has yet. What its parent decided on items and proofs it contains is in force here as well. */
export function openLineage(opening: Opening): Lineage {
  const { id, input, parent, position, isGuessed } = opening;
  const pending = openingEntries(opening);
  return {
    tenant: input.hints.tenant,
    id,
    root: position > 0 && parent !== null ? parent.root : id,
    sentOrder: 0,
    standing: foldLedger(EMPTY_STANDING, recordsOf(pending, 0, input.atMs)),
    seq: 0,
    // The shared part is written again: who goes back to any place in it meets this lineage, not only its parent.
    chainStored: 0,
    chain: null,
    pending,
    stored: new Set(parent?.stored),
    unstorable: new Set(parent?.unstorable),
    isGuessed: isGuessed || parent?.isGuessed === true,
  };
}

/** A lineage as the store has it. */
export function loadedLineage(
  tenant: string,
  id: string,
  root: string | null,
  records: readonly LedgerRecord[],
): Lineage {
  const standing = foldLedger(EMPTY_STANDING, records);
  return {
    tenant,
    id,
    root,
    sentOrder: 0,
    standing,
    seq: standing.seq,
    chainStored: standing.itemCount,
    chain: null,
    pending: [],
    stored: new Set(),
    unstorable: unstorableOf(records),
    isGuessed: false,
  };
}

/** Entries as records that follow `seq`. */
export function recordsOf(entries: readonly LedgerEntry[], seq: number, atMs: number): readonly LedgerRecord[] {
  return entries.map((entry, index) => ({ seq: seq + index + 1, atMs, entry }));
}

function openingEntries({ input, parent, position, warmUntilMs }: Opening): readonly LedgerEntry[] {
  const { sessionId, agentId } = input.hints;
  const present = new Set(input.chain.keys);
  const before = parent?.standing ?? EMPTY_STANDING;
  const isContinued = parent !== null && input.observations.isFolded && position === 0;
  const shared = input.chain.keys.slice(0, position);
  const deletions = inheritedDeletions(
    before,
    shared,
    position > 0 ? null : isContinued ? "compaction" : "session-reset",
  );
  const thinking = inheritedThinking(before.thinking, input.chain.keys, input.observations.settledCount);
  const isProof = proofsOf(input.observations, present);
  const inherited = [
    ...inheritedDecisions(before.decisions, present, isProof).filter(isOfPresent),
    ...deletions.decisions,
  ].filter(thinking.holds);
  const opening: LedgerEntry = {
    type: "lineage-opened",
    sessionId,
    agentId,
    parent: parent === null ? null : { lineage: parent.id, itemCount: position },
    inherited,
    turnsBefore: isContinued ? before.clock.turn : before.turnsBefore,
    stepsBefore: isContinued ? before.clock.step : before.stepsBefore,
    warmUntilMs,
    ...(isTrusted(before.confidence) ? {} : { isDoubted: true as const }),
    ...(before.thinking.isRefused ? { isRefused: true as const } : {}),
    ...entriesLeft(before, inherited, shared, thinking.restored),
  };
  const folded = isContinued ? [{ type: "client-folded", fromLineage: parent.id } as const] : [];
  return [
    opening,
    ...folded,
    ...carried(before, present, isContinued),
    ...deletions.entries,
    ...inheritedServerClear(before.serverClear, present, isProof),
    ...thinking.entries,
  ];
}

/** A deletion from the cache goes by the place that it was asked for at; every other release by its item. */
function isOfPresent({ moment }: Decision): boolean {
  return moment !== "native";
}

/** What the parent left with the provider of the shared items, as far as they stand here in the form they had there. */
function entriesLeft(
  { entries, decisions }: LineageStanding,
  inherited: readonly Decision[],
  shared: readonly ItemKey[],
  thinkingRestored: ReadonlySet<ItemKey>,
): Pick<Extract<LedgerEntry, { type: "lineage-opened" }>, "entries"> {
  const kept = new Set(inherited.map(({ itemKey }) => itemKey));
  const restored = shared.findIndex((key) => {
    const decision = decisions.get(key);
    const isLost = decision !== undefined && isOfPresent(decision) && !kept.has(key);
    return isLost || thinkingRestored.has(key);
  });
  const left = sharedEntries(entries, restored === -1 ? shared.length : restored);
  const named = Array.from(left.named, ([name, own]) => ({ name, entries: own }));
  return { entries: { named, untold: left.untold } };
}

function unstorableOf(records: readonly LedgerRecord[]): Set<ItemKey> {
  const keys = new Set<ItemKey>();
  for (const { entry } of records) {
    if (entry.type === "item-acquired" && !entry.item.isStored) keys.add(entry.item.key);
  }
  return keys;
}
