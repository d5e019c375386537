import type { Decision, Standing } from "../model/decision.ts";
import type { Address, Digest, ItemKey } from "../model/item.ts";
import type { ItemRecord, LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { Regret } from "../model/regret.ts";
import type { Clock } from "../model/transcript.ts";
import { type AttemptEntry, type Attempts, foldAttempts, NO_ATTEMPTS } from "./attempts.ts";
import { type CacheEditEntry, type CacheEdits, foldCacheEdits, NO_CACHE_EDITS } from "./cache-edits.ts";
import { type CacheEntries, NO_ENTRIES, uncounted, withMarkedRequest, withReportedUsage } from "./cache-entries.ts";
import { type Caches, NO_CACHES, withRequest } from "./caches.ts";
import { CONFIDENT, type Confidence, DOUBTED, withVerdict } from "./confidence.ts";
import { type Deliberate, type DeliberateEntry, foldDeliberate, NOTHING_DELIBERATE } from "./deliberate.ts";
import { isNetGuarded, type NetCosts, NO_NET_COSTS, withNetCost } from "./net-guard.ts";
import { isRefusal, withoutRefused } from "./refused-entries.ts";
import { foldServerClear, NO_SERVER_CLEARS, type ServerClears } from "./server-clear.ts";
import {
  THINKING_AS_IT_CAME,
  type ThinkingStanding,
  withAnswered,
  withDecided,
  withRefused,
  withSent,
  withThinking,
} from "./thinking-standing.ts";

/** The answer after which the net guard came to stand. */
export interface GuardedSince extends Clock {
  readonly atMs: number;
}

/** Tools that Ebb adds to requests: JSON of their definitions, and their names. */
export interface OfferedTools {
  readonly json: string;
  readonly names: readonly string[];
  readonly moment: Entry<"tools-offered">["moment"];
  /** Name of the wire in whose format. */
  readonly wire: string;
}

/** What the ledger of one lineage says, folded. */
export interface LineageStanding {
  readonly seq: number;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  /** Decisions in force, in the order they were made. */
  readonly decisions: ReadonlyMap<ItemKey, Decision>;
  /** Items acquired, with the turn and step at which they were. */
  readonly acquired: ReadonlyMap<ItemKey, Clock>;
  readonly deliberate: Deliberate;
  /** What the provider was asked to delete from its cache, and what waits to be. */
  readonly cacheEdits: CacheEdits;
  /** What the provider is asked to clear by itself. */
  readonly serverClear: ServerClears;
  /** The tools of Ebb's own that its requests offer; null for none. */
  readonly offered: OfferedTools | null;
  /** Asides, and the requests they belong to. */
  readonly attempts: Attempts;
  /** Items that came in as markers of Ebb, with the addresses they stand for. */
  readonly echoes: ReadonlyMap<ItemKey, Address>;
  /** Releases that were missed later, in the order in which that was seen. */
  readonly regrets: readonly Regret[];
  /** Changes of files on record, by the call or text that tells of them, with the digest of what the call states. */
  readonly changes: ReadonlyMap<ItemKey, Digest | null>;
  /**
   * Numbered reads by path, oldest first; a later "unchanged" answer may point to one that left the window. Any other
   * use of the path may have changed the file, so it ends what was read before.
   */
  readonly readsByPath: ReadonlyMap<string, readonly ItemRecord[]>;
  readonly parent: string | null;
  /** Items of the last request that was sent. */
  readonly itemCount: number;
  /** Latest start of a request plus the cache lifetime it asked for, Unix time; null when the last one asked for none. */
  readonly warmUntilMs: number | null;
  /** What the lineage's own requests may have left in the provider's cache. */
  readonly caches: Caches;
  /** Prefixes that the lineage's own requests left there. */
  readonly entries: CacheEntries;
  /** How far predictions of what the provider reads have held. */
  readonly confidence: Confidence;
  readonly netCosts: NetCosts;
  /** Since when Ebb cost more here than it saved, so that nothing new leaves by rule; null where it did not. */
  readonly guarded: GuardedSince | null;
  readonly thinking: ThinkingStanding;
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
  acquired: new Map(),
  deliberate: NOTHING_DELIBERATE,
  cacheEdits: NO_CACHE_EDITS,
  serverClear: NO_SERVER_CLEARS,
  offered: null,
  attempts: NO_ATTEMPTS,
  echoes: new Map(),
  regrets: [],
  changes: new Map(),
  readsByPath: new Map(),
  parent: null,
  itemCount: 0,
  warmUntilMs: null,
  caches: NO_CACHES,
  entries: NO_ENTRIES,
  confidence: CONFIDENT,
  netCosts: NO_NET_COSTS,
  guarded: null,
  thinking: THINKING_AS_IT_CAME,
  clock: { turn: 0, step: 0 },
  turnsBefore: 0,
  stepsBefore: 0,
};

/** Continues a standing with later records, in order. What no record adds to is shared with `start`, which stays as it was. */
export function foldLedger(start: LineageStanding, records: readonly LedgerRecord[]): LineageStanding {
  const growth = growthFor(start, records);
  let standing = start;
  for (const record of records) standing = { ...foldEntry(standing, record, growth), seq: record.seq };
  return {
    ...standing,
    decisions: growth.decisions ?? start.decisions,
    acquired: growth.acquired ?? start.acquired,
    changes: growth.changes ?? start.changes,
    deliberate: foldDeliberate(start.deliberate, growth.deliberate),
    cacheEdits: foldCacheEdits(start.cacheEdits, growth.cacheEdits),
    attempts: foldAttempts(start.attempts, growth.attempts),
    echoes: growth.echoes ?? start.echoes,
    regrets: growth.regrets.length === 0 ? start.regrets : [...start.regrets, ...growth.regrets],
    readsByPath: growth.reads.size === 0 ? start.readsByPath : withReads(start.readsByPath, growth.reads),
  };
}

/** Where one item stands. */
export function standingOf(standing: LineageStanding, key: ItemKey): Standing {
  const decision = standing.decisions.get(key);
  return decision === undefined ? { state: "held" } : { state: "released", decision };
}

/** Copies that the records may add to; null where they add nothing, so that a long history is not copied for each request. */
interface Growth {
  readonly decisions: Map<ItemKey, Decision> | null;
  readonly acquired: Map<ItemKey, Clock> | null;
  readonly changes: Map<ItemKey, Digest | null> | null;
  readonly echoes: Map<ItemKey, Address> | null;
  readonly reads: Map<string, ItemRecord[]>;
  readonly deliberate: DeliberateEntry[];
  readonly cacheEdits: CacheEditEntry[];
  readonly attempts: { readonly atMs: number; readonly entry: AttemptEntry }[];
  readonly regrets: Regret[];
}

function growthFor(start: LineageStanding, records: readonly LedgerRecord[]): Growth {
  const types = new Set(records.map((record) => record.entry.type));
  const decides = types.has("item-released") || types.has("item-restored") || types.has("lineage-opened");
  return {
    decisions: decides ? new Map(start.decisions) : null,
    acquired: types.has("item-acquired") ? new Map(start.acquired) : null,
    changes: types.has("change-seen") ? new Map(start.changes) : null,
    echoes: types.has("marker-echoed") ? new Map(start.echoes) : null,
    reads: new Map(),
    deliberate: [],
    cacheEdits: [],
    attempts: [],
    regrets: [],
  };
}

function foldEntry(standing: LineageStanding, record: LedgerRecord, growth: Growth): LineageStanding {
  const { decisions, acquired, changes, reads } = growth;
  const { entry } = record;
  switch (entry.type) {
    case "lineage-opened":
      for (const decision of entry.inherited) decisions?.set(decision.itemKey, decision);
      return opened(standing, entry);
    case "item-acquired":
      acquired?.set(entry.item.key, { turn: entry.item.turn, step: entry.item.step });
      noteRead(reads, entry.item);
      return standing;
    case "change-seen":
      changes?.set(entry.change.itemKey, entry.change.text ?? changes.get(entry.change.itemKey) ?? null);
      return standing;
    case "item-released":
    case "item-restored":
      return decided(standing, entry, decisions);
    case "thinking-stripped":
    case "thinking-restored":
    case "thinking-dropped":
      return { ...standing, thinking: withThinking(standing.thinking, entry) };
    case "item-wished":
    case "item-held":
    case "item-protected":
    case "path-held":
    case "path-protected":
    case "item-expired":
    case "scope-opened":
    case "scope-closed":
    case "boundary-noted":
      growth.deliberate.push(entry);
      return standing;
    case "edit-queued":
    case "edit-sent":
      growth.cacheEdits.push(entry);
      return standing;
    case "edit-pinned":
    case "boundary-reset":
      growth.cacheEdits.push(entry);
      return { ...standing, entries: uncounted(standing.entries) };
    case "server-clear-set":
    case "note-pinned":
      return { ...standing, serverClear: foldServerClear(standing.serverClear, entry) };
    case "marker-echoed":
      growth.echoes?.set(entry.itemKey, entry.address);
      return standing;
    case "item-regretted":
      growth.regrets.push(entry.regret);
      return standing;
    case "request-sent":
      return sent(standing, entry, record.atMs);
    case "response-seen":
      return answered(standing, entry, record.atMs);
    case "tools-offered":
      return { ...standing, offered: offeredBy(entry) };
    case "aside-pinned":
    case "aside-closed":
      growth.attempts.push({ atMs: record.atMs, entry });
      return standing;
    case "client-folded":
    case "item-recalled":
      return standing;
  }
}

type Entry<Type extends LedgerEntry["type"]> = Extract<LedgerEntry, { type: Type }>;

function opened(standing: LineageStanding, entry: Entry<"lineage-opened">): LineageStanding {
  return {
    ...standing,
    sessionId: entry.sessionId,
    agentId: entry.agentId,
    parent: entry.parent?.lineage ?? null,
    itemCount: entry.parent?.itemCount ?? 0,
    warmUntilMs: entry.warmUntilMs,
    entries: inheritedEntries(entry),
    confidence: entry.isDoubted === true ? DOUBTED : CONFIDENT,
    thinking: entry.isRefused === true ? withRefused(THINKING_AS_IT_CAME) : THINKING_AS_IT_CAME,
    turnsBefore: entry.turnsBefore,
    stepsBefore: entry.stepsBefore,
  };
}

function decided(
  standing: LineageStanding,
  entry: Entry<"item-released" | "item-restored">,
  decisions: Growth["decisions"],
): LineageStanding {
  const changed = entry.type === "item-released" ? entry.decision : entry.restoration;
  const before = decisions?.get(changed.itemKey) ?? null;
  const thinking = withDecided(standing.thinking, changed, before);
  const isBack = entry.type === "item-restored" && before?.moment === "server-clear";
  const serverClear = isBack ? foldServerClear(standing.serverClear, entry) : standing.serverClear;
  if (entry.type === "item-released") decisions?.set(changed.itemKey, entry.decision);
  else decisions?.delete(changed.itemKey);
  return { ...standing, thinking, serverClear };
}

function sent(standing: LineageStanding, entry: Entry<"request-sent">, atMs: number): LineageStanding {
  return {
    ...standing,
    itemCount: entry.itemCount,
    thinking: withSent(standing.thinking, entry.requestId, entry.step),
    serverClear: foldServerClear(standing.serverClear, entry),
    clock: { turn: entry.turn, step: entry.step },
    warmUntilMs: warmUntilOf(standing, atMs, entry.cacheTtlMs),
    caches: withRequest(standing.caches, { ...entry, atMs, hasUnseen: entry.hasUnseen === true }),
    entries: withMarkedRequest(standing.entries, {
      ...entry,
      atMs,
      breakpoints: entry.breakpoints ?? null,
      sameCount: entry.sameCount ?? entry.itemCount,
    }),
  };
}

function answered(standing: LineageStanding, entry: Entry<"response-seen">, atMs: number): LineageStanding {
  const { requestId, usage, verdict, net } = entry;
  const netCosts = net === undefined ? standing.netCosts : withNetCost(standing.netCosts, net);
  return {
    ...standing,
    entries: isRefusal(entry)
      ? withoutRefused(standing.entries, requestId)
      : withReportedUsage(standing.entries, requestId, usage),
    confidence: verdict === undefined ? standing.confidence : withVerdict(standing.confidence, verdict),
    netCosts,
    guarded: isNetGuarded(netCosts) ? (standing.guarded ?? { atMs, ...standing.clock }) : null,
    thinking: thinkingAfter(standing.thinking, entry),
  };
}

/** What a parent left of the shared items; where that is not on record, nobody knows how far it reaches. */
function inheritedEntries({
  entries,
  parent,
  warmUntilMs,
}: Extract<LedgerEntry, { type: "lineage-opened" }>): CacheEntries {
  if (parent === null || parent.itemCount === 0) return NO_ENTRIES;
  if (entries === undefined) return { ...NO_ENTRIES, untold: { itemCount: parent.itemCount, untilMs: warmUntilMs } };
  const named = new Map(entries.named.map(({ name, entries: own }) => [name, own]));
  return { ...NO_ENTRIES, named, untold: entries.untold };
}

function thinkingAfter(
  thinking: ThinkingStanding,
  { requestId, status, refusesThinking }: Extract<LedgerEntry, { type: "response-seen" }>,
): ThinkingStanding {
  if (refusesThinking === true) return withRefused(thinking);
  return status >= 200 && status < 300 ? withAnswered(thinking, requestId) : thinking;
}

/** The first of a path's additions is what ended its earlier reads, where something did. */
function noteRead(reads: Map<string, ItemRecord[]>, item: ItemRecord): void {
  const { path, lineStart } = item.label;
  if (path === null) return;
  const known = reads.get(path);
  if (lineStart === null) reads.set(path, [item]);
  else if (known === undefined) reads.set(path, [item]);
  else known.push(item);
}

function withReads(
  before: ReadonlyMap<string, readonly ItemRecord[]>,
  added: ReadonlyMap<string, readonly ItemRecord[]>,
): ReadonlyMap<string, readonly ItemRecord[]> {
  const readsByPath = new Map(before);
  for (const [path, items] of added) {
    const isEnded = items[0]?.label.lineStart === null;
    readsByPath.set(path, isEnded ? items.slice(1) : [...(before.get(path) ?? []), ...items]);
  }
  return readsByPath;
}

/** A request that states no lifetime may be cached for as long as the provider likes: nothing is on record any more. */
function warmUntilOf(standing: LineageStanding, atMs: number, cacheTtlMs: number | null): number | null {
  return cacheTtlMs === null ? null : Math.max(standing.warmUntilMs ?? 0, atMs + cacheTtlMs);
}

/** The only wire there was when entries did not name one. */
const FIRST_WIRE = "anthropic-messages";

function offeredBy({ json, names, moment, wire = FIRST_WIRE }: Entry<"tools-offered">): OfferedTools {
  return { json, names, moment, wire };
}
