import type { PlacedAcquisition, ReadFact } from "../../model/acquisition.ts";
import type { TokenCounter } from "../../model/ports.ts";
import type { Amount, ReadAmount, ReadsAnalysis } from "./session-analysis.ts";
import type { UnderstoodHistory } from "./understood-history.ts";

export type ReadClass = "stale" | "superseded" | "fresh";

/** One read whose text stands in the history. */
export interface ClassifiedRead {
  readonly placed: PlacedAcquisition;
  readonly class: ReadClass;
  readonly bytes: number;
  readonly tokens: number;
}

export interface ClassifiedReads {
  readonly reads: readonly ClassifiedRead[];
  readonly images: { readonly count: number; readonly bytes: number };
  readonly failed: number;
  readonly unanswered: number;
}

/** Sorts the reads of a history; reads that failed or have no result are in no class. */
export function classifyReads(history: UnderstoodHistory, counter: TokenCounter): ClassifiedReads {
  const reads: ClassifiedRead[] = [];
  const images = { count: 0, bytes: 0 };
  let failed = 0;
  let unanswered = 0;
  for (const placed of history.observations.acquisitions) {
    const { acquisition } = placed;
    if (acquisition.kind !== "read" && !countsAsRead(placed, history)) continue;
    const result = history.results.get(acquisition.callId);
    if (acquisition.outcome === "missing" || result === undefined) unanswered += 1;
    else if (acquisition.outcome !== "ok") failed += 1;
    else if (result.mediaCount > 0 && result.bytes === 0) {
      images.count += 1;
      images.bytes += mediaBytes(history, acquisition.callId);
    } else {
      const tokens = counter.count(history.source.textOf(result));
      reads.push({ placed, class: classOf(history.reads.get(result.key)), bytes: result.bytes, tokens });
    }
  }
  return { reads, images, failed, unanswered };
}

/** True for a shell read of an agent whose shell reads count. */
function countsAsRead({ acquisition, resultKey }: PlacedAcquisition, { reads }: UnderstoodHistory): boolean {
  return acquisition.isShellRead && resultKey !== null && reads.has(resultKey);
}

/** Adds the classes up. */
export function sumReads(parts: readonly ClassifiedReads[]): ReadsAnalysis {
  const reads = parts.flatMap((part) => part.reads);
  const total = reads.reduce((tokens, read) => tokens + read.tokens, 0);
  const amountOf = (name: ReadClass): ReadAmount =>
    withShare(
      reads.filter((read) => read.class === name),
      total,
    );
  return {
    stale: amountOf("stale"),
    superseded: amountOf("superseded"),
    fresh: amountOf("fresh"),
    images: {
      count: parts.reduce((sum, part) => sum + part.images.count, 0),
      bytes: parts.reduce((sum, part) => sum + part.images.bytes, 0),
    },
    failed: parts.reduce((sum, part) => sum + part.failed, 0),
    unanswered: parts.reduce((sum, part) => sum + part.unanswered, 0),
  };
}

function withShare(reads: readonly Omit<Amount, "count">[], total: number): ReadAmount {
  const tokens = reads.reduce((sum, read) => sum + read.tokens, 0);
  const bytes = reads.reduce((sum, read) => sum + read.bytes, 0);
  return { count: reads.length, bytes, tokens, share: total === 0 ? null : tokens / total };
}

/** Stale wins when both hold. */
function classOf(fact: ReadFact | undefined): ReadClass {
  if (fact?.stale != null) return "stale";
  return fact?.superseded != null ? "superseded" : "fresh";
}

function mediaBytes(history: UnderstoodHistory, callId: string): number {
  return history.media.reduce((sum, item) => (item.callId === callId ? sum + item.bytes : sum), 0);
}
