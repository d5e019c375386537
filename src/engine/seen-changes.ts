import type { FileChange, Observations, PlacedAcquisition, PlacedNotice } from "../model/acquisition.ts";
import type { Digest, Item, ItemKey } from "../model/item.ts";
import type { SeenChange } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";
import { isWholeRead } from "./whole-read.ts";

/** What a transcript tells of changes, and which of them the ledger has. */
export interface ChangeSearch {
  readonly observations: Observations;
  readonly known: { has(key: ItemKey): boolean };
  readonly clock: Clock;
  /** Steps that happened before this history began. */
  readonly stepsBefore: number;
  itemOf(key: ItemKey): Item | null;
}

/** A change without its text, which a dialect reads out of the call. */
export interface FoundChange extends Omit<SeenChange, "text" | "path"> {
  readonly path: string;
}

/** Changes of files, and attempts at them, that the ledger does not have yet, in their order. Calls without a result have not happened. */
export function newChanges(search: ChangeSearch): readonly FoundChange[] {
  const { acquisitions, notices } = search.observations;
  const isNew =
    acquisitions.some((placed) => mayChange(placed) && !search.known.has(placed.callKey)) ||
    notices.some(({ itemKey }) => !search.known.has(itemKey));
  if (!isNew) return [];
  const bases = new Map<string, Digest>();
  const found: FoundChange[] = [];
  let told = 0;
  for (const placed of acquisitions) {
    for (let next = notices[told]; next !== undefined && next.step < placed.step; next = notices[++told]) {
      found.push(...changesOf([noticed(next)], search, bases));
    }
    const base = isWholeRead(placed) && placed.resultKey !== null ? search.itemOf(placed.resultKey) : null;
    if (base !== null && placed.path !== null) bases.set(placed.path, base.digest);
    found.push(...changesOf(changesIn(placed), search, bases));
  }
  found.push(...notices.slice(told).flatMap((next) => changesOf([noticed(next)], search, bases)));
  return found;
}

type Told = Omit<FoundChange, "turn" | "base">;

function changesOf(
  changes: readonly Told[],
  { known, clock, stepsBefore }: ChangeSearch,
  bases: Map<string, Digest>,
): readonly FoundChange[] {
  return changes.flatMap((change): readonly FoundChange[] => {
    const base = bases.get(change.path) ?? null;
    if (change.outcome === "ok") bases.delete(change.path);
    if (known.has(change.itemKey)) return [];
    return [{ ...change, step: stepsBefore + change.step, turn: clock.turn, base }];
  });
}

function mayChange({ acquisition, resultKey }: PlacedAcquisition): boolean {
  return resultKey !== null && (acquisition.changes.length > 0 || isAttempt(acquisition));
}

/** A call of the agent's own tool that came to nothing. */
function isAttempt({ kind, outcome, path }: PlacedAcquisition["acquisition"]): boolean {
  return (kind === "edit" || kind === "write") && path !== null && (outcome === "failed" || outcome === "interrupted");
}

function changesIn(placed: PlacedAcquisition): readonly Told[] {
  const { acquisition, changedPaths, path, callKey, step } = placed;
  if (!mayChange(placed)) return [];
  const { callId, tool, kind, outcome, changes } = acquisition;
  const common = { itemKey: callKey, callId, tool, step };
  if (isAttempt(acquisition) && path !== null) {
    return [{ ...common, kind: kind === "write" ? "write" : "edit", source: "tool", path, outcome }];
  }
  const told = changes.map((change, index) => toldOf(change, changedPaths[index] ?? change.path, common));
  return told.filter(({ path }, index) => told.findIndex((one) => one.path === path) === index);
}

/** What is told happened, however the command that did it ended. */
function toldOf(
  { kind, source }: FileChange,
  path: string,
  common: Pick<Told, "itemKey" | "callId" | "tool" | "step">,
): Told {
  return { ...common, kind, source, path, outcome: "ok" };
}

function noticed({ itemKey, change, path, step }: PlacedNotice): Told {
  return toldOf(change, path, { itemKey, callId: null, tool: null, step });
}
