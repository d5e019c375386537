import type { Report } from "../model/report.ts";
import { type ChangeSources, changesOf, reportedFiles } from "./report-files.ts";
import { reportedItems } from "./report-items.ts";
import { boundariesIn, clockOf, findScope, type History, spanOfScope } from "./report-span.ts";

export interface ReportInput {
  readonly lineage: string;
  readonly sessionId: string | null;
  readonly history: History;
  /** Null: the whole conversation. */
  readonly scope: string | null;
  readonly sources: ChangeSources;
}

/** What a working set, or a whole conversation, acquired, what left, and what changed; null when no scope has that name. */
export function reportOf({ lineage, sessionId, history, scope: name, sources }: ReportInput): Report | null {
  const scope = name === null ? null : findScope(name, history);
  if (name !== null && scope === null) return null;
  const { turn, step } = scope?.ended ?? clockOf(history);
  const span = spanOfScope(scope);
  const boundaries = boundariesIn(history, span);
  return {
    lineage,
    sessionId,
    scope,
    until: { turn, step },
    items: reportedItems(history, scope),
    files: reportedFiles(changesOf(history), span, sources),
    ...(boundaries.length === 0 ? {} : { boundaries }),
  };
}
