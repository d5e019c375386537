import type { FileChange, LineRange, Observations, PlacedAcquisition, ReadEvidence } from "../model/acquisition.ts";
import type { ItemKey } from "../model/item.ts";
import type { EvidenceSources } from "./evidence.ts";
import { linesOf, windowKey } from "./line-cover.ts";

/** A successful read, with the key of its result. */
export interface ReadEvent {
  readonly kind: "read";
  readonly placed: PlacedAcquisition;
  readonly resultKey: ItemKey;
  readonly path: string;
  /** Equal for reads that asked for the same part of the file. */
  readonly windowKey: string;
  readonly lines: LineRange;
}

/** Proof that a file changed. */
export interface ChangeEvent {
  readonly kind: "change";
  readonly evidence: ReadEvidence;
}

/** What happened to one path, in order: each event is strictly later than those before it. */
export interface PathHistory {
  readonly events: readonly (ReadEvent | ChangeEvent)[];
  /**
   * Step of the last event by the agent itself, switched off sources included: the path was in use. What the harness
   * tells of a change is no use of the path; clients tell it again when a session is resumed.
   */
  readonly lastStep: number;
}

/** Events by path. A change told of in a text comes after every call of the step before it. */
export function pathHistories(
  { acquisitions, notices }: Observations,
  sources: EvidenceSources,
): ReadonlyMap<string, PathHistory> {
  const histories = createHistories(sources);
  let told = 0;
  for (const placed of acquisitions) {
    for (let next = notices[told]; next !== undefined && next.step < placed.step; next = notices[++told]) {
      histories.addChange(next.path, next.change, { itemKey: next.itemKey, step: next.step });
    }
    const evidence = { itemKey: placed.callKey, step: placed.step };
    const read = toRead(placed, sources);
    if (read !== null) histories.addRead(read);
    placed.acquisition.changes.forEach((change, index) => {
      histories.addChange(placed.changedPaths[index] ?? change.path, change, evidence);
    });
  }
  for (const { path, change, itemKey, step } of notices.slice(told)) {
    histories.addChange(path, change, { itemKey, step });
  }
  return histories.byPath;
}

function toRead(placed: PlacedAcquisition, { shellReads }: EvidenceSources): ReadEvent | null {
  const { acquisition, resultKey, path } = placed;
  const isRead = acquisition.kind === "read" || (shellReads && acquisition.isShellRead);
  if (!isRead || acquisition.outcome !== "ok" || resultKey === null || path === null) return null;
  return {
    kind: "read",
    placed,
    resultKey,
    path,
    windowKey: windowKey(acquisition.window),
    lines: linesOf(acquisition),
  };
}

function createHistories({ bashEdits, harnessNotices }: EvidenceSources) {
  const byPath = new Map<string, { events: (ReadEvent | ChangeEvent)[]; lastStep: number }>();
  const counts = { tool: true, shell: bashEdits, notice: harnessNotices };
  const historyOf = (path: string, step: number, isUse: boolean) => {
    const known = byPath.get(path);
    const history = known ?? { events: [], lastStep: step };
    if (known === undefined) byPath.set(path, history);
    if (isUse) history.lastStep = step;
    return history.events;
  };
  return {
    byPath,
    addRead(read: ReadEvent) {
      historyOf(read.path, read.placed.step, true).push(read);
    },
    addChange(path: string, change: FileChange, evidence: ReadEvidence) {
      const events = historyOf(path, evidence.step, change.source !== "notice");
      if (counts[change.source]) events.push({ kind: "change", evidence });
    },
  };
}
