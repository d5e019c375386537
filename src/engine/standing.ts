import type { Decision, Standing } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import type { ItemRecord, LedgerRecord } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";

/** What the ledger of one lineage says, folded. */
export interface LineageStanding {
  readonly seq: number;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  /** Decisions in force, in the order they were made. */
  readonly decisions: ReadonlyMap<ItemKey, Decision>;
  readonly acquired: ReadonlySet<ItemKey>;
  /** Numbered reads by path, oldest first; a later "unchanged" answer may point to one that left the window. */
  readonly readsByPath: ReadonlyMap<string, readonly ItemRecord[]>;
  readonly parent: string | null;
  /** Items of the last request that was sent. */
  readonly itemCount: number;
  /** Latest start of a request plus the cache lifetime it asked for, Unix time; null when none is on record. */
  readonly warmUntilMs: number | null;
  readonly clock: Clock;
  readonly turnsBefore: number;
  readonly stepsBefore: number;
}

/** The standing of a lineage without a ledger. */
export const EMPTY_STANDING: LineageStanding = {
  seq: 0,
  sessionId: null,
  agentId: null,
  decisions: new Map(),
  acquired: new Set(),
  readsByPath: new Map(),
  parent: null,
  itemCount: 0,
  warmUntilMs: null,
  clock: { turn: 0, step: 0 },
  turnsBefore: 0,
  stepsBefore: 0,
};

/** Continues a standing with later records, in order. */
export function foldLedger(start: LineageStanding, records: readonly LedgerRecord[]): LineageStanding {
  const decisions = new Map(start.decisions);
  const acquired = new Set(start.acquired);
  const readsByPath = new Map(start.readsByPath);
  const collections: Collections = { decisions, acquired, readsByPath, grown: new Map() };
  let standing: LineageStanding = { ...start, decisions, acquired, readsByPath };
  for (const record of records) {
    standing = { ...foldEntry(standing, record, collections), seq: record.seq };
  }
  return standing;
}

interface Collections {
  readonly decisions: Map<ItemKey, Decision>;
  readonly acquired: Set<ItemKey>;
  readonly readsByPath: Map<string, readonly ItemRecord[]>;
  /** Lists of `readsByPath` that this fold made itself: only they may grow in place. */
  readonly grown: Map<string, ItemRecord[]>;
}

/** Where one item stands. */
export function standingOf(standing: LineageStanding, key: ItemKey): Standing {
  const decision = standing.decisions.get(key);
  return decision === undefined ? { state: "held" } : { state: "released", decision };
}

function foldEntry(standing: LineageStanding, record: LedgerRecord, collections: Collections): LineageStanding {
  const { decisions, acquired } = collections;
  const { entry } = record;
  switch (entry.type) {
    case "lineage-opened":
      for (const decision of entry.inherited) decisions.set(decision.itemKey, decision);
      return {
        ...standing,
        sessionId: entry.sessionId,
        agentId: entry.agentId,
        parent: entry.parent?.lineage ?? null,
        itemCount: entry.parent?.itemCount ?? 0,
        warmUntilMs: entry.warmUntilMs,
        turnsBefore: entry.turnsBefore,
        stepsBefore: entry.stepsBefore,
      };
    case "item-acquired":
      acquired.add(entry.item.key);
      noteRead(collections, entry.item);
      return standing;
    case "item-released":
      decisions.set(entry.decision.itemKey, entry.decision);
      return standing;
    case "request-sent":
      return {
        ...standing,
        itemCount: entry.itemCount,
        clock: { turn: entry.turn, step: entry.step },
        warmUntilMs: laterOf(standing.warmUntilMs, entry.cacheTtlMs === null ? null : record.atMs + entry.cacheTtlMs),
      };
    case "client-folded":
    case "item-recalled":
    case "response-seen":
      return standing;
  }
}

function noteRead({ readsByPath, grown }: Collections, item: ItemRecord): void {
  const { path, lineStart } = item.label;
  if (path === null || lineStart === null) return;
  const reads = grown.get(path) ?? [...(readsByPath.get(path) ?? [])];
  reads.push(item);
  grown.set(path, reads);
  readsByPath.set(path, reads);
}

function laterOf(left: number | null, right: number | null): number | null {
  if (left === null) return right;
  return right === null ? left : Math.max(left, right);
}
