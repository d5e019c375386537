import type { Chapter, History } from "../engine/report-span.ts";
import type { LedgerRecord } from "../model/ledger.ts";

/** Lineages one report looks back through. */
const CHAPTERS_MAX = 64;

type Place = Pick<Chapter, "relation"> & { readonly lineage: string };

/** A lineage and what it continues: what its client compacted into it, and what it was forked from. */
export async function historyOf(
  lineage: string,
  load: (lineage: string) => Promise<readonly LedgerRecord[]>,
): Promise<History> {
  const chapters: Chapter[] = [];
  let next: Place | null = { lineage, relation: "own" };
  while (next !== null && chapters.length < CHAPTERS_MAX) {
    const records: readonly LedgerRecord[] = await load(next.lineage);
    chapters.push({ relation: next.relation, records });
    next = placeBefore(records);
  }
  return chapters.toReversed();
}

function placeBefore(records: readonly LedgerRecord[]): Place | null {
  const fold = records.find(({ entry }) => entry.type === "client-folded")?.entry;
  if (fold?.type === "client-folded") return { lineage: fold.fromLineage, relation: "folded" };
  const opening = records[0]?.entry;
  const parent = opening?.type === "lineage-opened" ? opening.parent : null;
  return parent === null || parent.itemCount === 0 ? null : { lineage: parent.lineage, relation: "shared" };
}
