import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { NotedBoundary } from "../model/noted-boundary.ts";
import type { ReportedBoundary, ReportedScope, ScopeEnd } from "../model/report.ts";
import type { Clock } from "../model/transcript.ts";

/**
 * The ledger of one lineage in a report's history. `own`: the lineage asked for. `folded`: a history the client compacted into it.
 * `shared`: the lineage it was forked from, whose part of the history it has in its own records as well.
 */
export interface Chapter {
  readonly relation: "own" | "folded" | "shared";
  readonly records: readonly LedgerRecord[];
}

/** Oldest first. */
export type History = readonly Chapter[];

/** Steps that count: later than `after`, up to `upTo`. */
export interface Span {
  readonly after: number;
  readonly upTo: number;
}

/** The last scope of that name in a history; null when it has none. */
export function findScope(name: string, history: History): ReportedScope | null {
  let found: ReportedScope | null = null;
  for (const { relation, records } of history) {
    for (const { entry } of records) found = scopeAfter(found, name, entry);
    if (relation === "folded" && found !== null) found = { ...found, ended: found.ended ?? compactedAt(records) };
  }
  return found;
}

/** A history that goes on in a new lineage opens its scopes there once more, closed ones as closed. */
function scopeAfter(found: ReportedScope | null, name: string, entry: LedgerEntry): ReportedScope | null {
  if (entry.type === "scope-closed" && entry.name === name && found !== null) {
    return { ...found, ended: { by: "order", turn: entry.turn, step: entry.step } };
  }
  if (entry.type === "boundary-noted" && found?.ended === null) {
    const by = ENDED_BY[entry.what];
    return by === null ? found : { ...found, ended: { by, turn: entry.turn, step: entry.step } };
  }
  if (entry.type !== "scope-opened" || entry.scope.name !== name) return found;
  const { reason, openedTurn, openedStep, isClosed } = entry.scope;
  const opened = { turn: openedTurn, step: openedStep };
  return isClosed && found !== null && isSame(found.opened, opened) ? found : { name, reason, opened, ended: null };
}

const ENDED_BY: Readonly<Record<NotedBoundary, ScopeEnd["by"] | null>> = {
  resumed: null,
  compacting: null,
  compacted: "compaction",
  cleared: "clear",
  "agent-stopped": "agent-end",
};

/** What the client told of a history in a span; nothing of what a fork left behind. */
export function boundariesIn(history: History, span: Span): readonly ReportedBoundary[] {
  const own = history.filter(({ relation }) => relation !== "shared").flatMap(({ records }) => records);
  return own.flatMap(({ entry }): readonly ReportedBoundary[] => {
    if (entry.type !== "boundary-noted" || !isInSpan(entry.step, span)) return [];
    const { what, source, turn, step } = entry;
    return [{ what, source, turn, step }];
  });
}

/** Where the clock of the asked lineage stands. */
export function clockOf(history: History): Clock {
  return clockAfter(history.at(-1)?.records ?? []);
}

function clockAfter(records: readonly LedgerRecord[]): Clock {
  const sent = records.findLast(({ entry }) => entry.type === "request-sent")?.entry;
  return sent?.type === "request-sent" ? { turn: sent.turn, step: sent.step } : { turn: 0, step: 0 };
}

/** Steps of a scope, or of everything. */
export function spanOfScope(scope: ReportedScope | null): Span {
  if (scope === null) return { after: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };
  return { after: scope.opened.step, upTo: scope.ended?.step ?? Number.POSITIVE_INFINITY };
}

/** True for a step of the span. */
export function isInSpan(step: number, { after, upTo }: Span): boolean {
  return step > after && step <= upTo;
}

/** When each item and change was first on record: a fork records what it took over again, with a clock of its own. */
export function firstSeen(history: History): ReadonlyMap<ItemKey, Clock> {
  const clocks = new Map<ItemKey, Clock>();
  for (const { records } of history) {
    for (const { entry } of records) {
      if (entry.type === "item-acquired") note(entry.item.key, entry.item);
      if (entry.type === "change-seen") note(entry.change.itemKey, entry.change);
    }
  }
  return clocks;

  function note(key: ItemKey, { turn, step }: Clock): void {
    if (!clocks.has(key)) clocks.set(key, { turn, step });
  }
}

function compactedAt(records: readonly LedgerRecord[]): ScopeEnd {
  return { by: "compaction", ...clockAfter(records) };
}

function isSame(one: Clock, other: Clock): boolean {
  return one.turn === other.turn && one.step === other.step;
}
