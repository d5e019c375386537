import type { LineageStanding } from "../engine/standing.ts";
import { decodeWtf8 } from "../lib/wtf8.ts";
import type { ReadFact } from "../model/acquisition.ts";
import type { Digest, ItemKey } from "../model/item.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { StoredOriginal } from "../model/store.ts";
import type { LostRead, View } from "../model/view.ts";
import type { Lineage } from "./lineage.ts";

const ANCESTORS_MAX = 8;

/**
 * For each new "unchanged" answer whose earlier read is not in the window in full: where that read is, once its original was read
 * back from the store. The text itself is handed on only where the lineage has no way to recall.
 */
export async function findLostReads(
  view: View,
  reads: ReadonlyMap<ItemKey, ReadFact>,
  lineage: Lineage,
  readOriginal: (digest: Digest) => Promise<StoredOriginal>,
  loadAncestor: (id: string) => Promise<Lineage>,
): Promise<ReadonlyMap<ItemKey, LostRead>> {
  const lost = new Map<ItemKey, LostRead>();
  const present = new Set(view.transcript.items.map((item) => item.key));
  for (const read of reads.values()) {
    if (!read.isUnchangedStub) continue;
    const item = view.itemOf(read.resultKey);
    if (item === null || view.exposureOf(item) !== "new" || isHeld(read, lineage.standing)) continue;
    if (read.stubTarget === null && isChanged(read.path, view)) continue;
    const record = await findRecord(read, present, lineage, loadAncestor);
    if (record === null) continue;
    const text = await textOf(readOriginal, record);
    if (text === null) continue;
    lost.set(read.resultKey, { address: record.address, text: view.channel.kind === "none" ? text : null });
  }
  return lost;
}

/** The answer may stand on what this window's own change wrote; no earlier read shows that. */
function isChanged(path: string, view: View): boolean {
  for (const { changedPaths } of view.acquisitions.values()) if (changedPaths.includes(path)) return true;
  return false;
}

/** A read that a decision on purpose may take out of this very request counts as lost; whether it does, the plan says. */
function isHeld({ stubTarget }: ReadFact, { decisions, deliberate }: LineageStanding): boolean {
  if (stubTarget === null || decisions.has(stubTarget)) return false;
  const wish = deliberate.wishes.get(stubTarget)?.wish ?? null;
  return wish === null || wish.kind === "whole";
}

async function findRecord(
  read: ReadFact,
  present: ReadonlySet<ItemKey>,
  lineage: Lineage,
  loadAncestor: (id: string) => Promise<Lineage>,
): Promise<ItemRecord | null> {
  let current: Lineage | null = lineage;
  for (let depth = 0; current !== null && depth < ANCESTORS_MAX; depth++) {
    const record = latestRead(read, present, current.standing);
    if (record !== null) return record;
    const isEnded = current.standing.readsByPath.get(read.path)?.length === 0;
    if (isEnded) return null;
    const { parent }: LineageStanding = current.standing;
    current = parent === null ? null : await loadAncestor(parent);
  }
  return null;
}

/** A read that this window holds is the one meant only where nothing changed the file in between; else it is not lost, but outdated. */
function latestRead(read: ReadFact, present: ReadonlySet<ItemKey>, standing: LineageStanding): ItemRecord | null {
  const start = read.window?.start ?? 1;
  const candidates = Array.from(standing.readsByPath.values())
    .flat()
    .filter((record) => record.kind === "result")
    .filter((record) => record.label.path === read.path || record.key === read.stubTarget)
    .filter((record) => record.key === read.stubTarget || !present.has(record.key))
    .filter(({ isStored, label }) => isStored && label.lineStart === start && (label.lineEnd ?? 0) >= start);
  return candidates.at(-1) ?? null;
}

async function textOf(
  readOriginal: (digest: Digest) => Promise<StoredOriginal>,
  record: ItemRecord,
): Promise<string | null> {
  const original = await readOriginal(record.digest);
  return original.state === "present" ? decodeWtf8(original.bytes) : null;
}
