import type { CacheDeletion, CacheEditBlock } from "../model/cache-edit.ts";
import type { Script } from "../model/edit.ts";
import type { ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";

/** Deletions taken by one request: on their way into its body, pinned to a place, or known to have arrived. */
export type EditBlock = ConsumedBlock | PinnedBlock;

/** Taken by a request that is not on record yet. */
export interface ConsumedBlock {
  readonly stage: "consumed";
  readonly requestId: string;
  readonly deletions: readonly CacheDeletion[];
}

/** Repeated by every request from the one that took it on; `sent` once a request with it succeeded. */
export interface PinnedBlock extends CacheEditBlock {
  readonly stage: "pinned" | "sent";
}

/** What the provider is asked to delete from its cache in one lineage. No result is named twice. */
export interface CacheEdits {
  /** One block of deletions that no request took yet. */
  readonly pending: readonly CacheDeletion[];
  /** In the order in which they were taken. */
  readonly blocks: readonly EditBlock[];
}

/** Nothing to delete. */
export const NO_CACHE_EDITS: CacheEdits = { pending: [], blocks: [] };

export type CacheEditEntry = Extract<
  LedgerEntry,
  { type: "edit-queued" | "edit-pinned" | "edit-sent" | "boundary-reset" }
>;

/** Continues cache edits with what the ledger says, in order. */
export function foldCacheEdits(before: CacheEdits, entries: readonly CacheEditEntry[]): CacheEdits {
  let edits = before;
  for (const entry of entries) edits = withEntry(edits, entry);
  return edits;
}

/**
 * The edits of every request of the lineage, in order: of each pinned block the deletions and the note, with the bytes they had
 * at first. Blocks that no request is on record for are left out.
 */
export function scriptOfCacheEdits({ blocks }: CacheEdits): Script {
  return blocks.filter(isPinned).flatMap(({ anchorKey, deletions, note }) => [
    { kind: "delete" as const, anchorKey, resultKeys: deletions.map(({ itemKey }) => itemKey) },
    { kind: "note" as const, anchorKey, text: note },
  ]);
}

/** How far the deletion of a result has come; null where none is on its way. */
export function stageOf({ pending, blocks }: CacheEdits, key: ItemKey): "pending" | EditBlock["stage"] | null {
  if (names(pending, key)) return "pending";
  return blocks.find(({ deletions }) => names(deletions, key))?.stage ?? null;
}

/** What a restart finds: a block that a request took and did not record waits again. */
export function recoveredCacheEdits({ pending, blocks }: CacheEdits): CacheEdits {
  const taken = blocks.filter(({ stage }) => stage === "consumed").flatMap(({ deletions }) => deletions);
  return { pending: [...taken, ...pending], blocks: blocks.filter(isPinned) };
}

/** Entries from which the same cache edits can be folded anew; what was consumed waits again. */
export function entriesOfCacheEdits(edits: CacheEdits): readonly CacheEditEntry[] {
  const { pending, blocks } = recoveredCacheEdits(edits);
  const pinned = blocks.filter(isPinned);
  const sent = pinned.filter(({ stage }) => stage === "sent").map(({ requestId }) => requestId);
  return [
    ...pinned.map(({ stage: _, ...block }) => ({ type: "edit-pinned", block }) as const),
    ...(sent.length === 0 ? [] : [{ type: "edit-sent", pinnedBy: sent } as const]),
    ...(pending.length === 0 ? [] : [{ type: "edit-queued", deletions: pending } as const]),
  ];
}

/** Deletions of results that no block names yet, each once. */
export function newDeletions(
  { pending, blocks }: CacheEdits,
  deletions: readonly CacheDeletion[],
): readonly CacheDeletion[] {
  const known = new Set([...pending, ...blocks.flatMap((block) => block.deletions)].map(({ itemKey }) => itemKey));
  return deletions.filter(({ itemKey }) => !known.has(itemKey) && known.add(itemKey));
}

/** True for a block that has a place in the requests. */
export function isPinned(block: EditBlock): block is PinnedBlock {
  return block.stage !== "consumed";
}

function withEntry(edits: CacheEdits, entry: CacheEditEntry): CacheEdits {
  switch (entry.type) {
    case "edit-queued":
      return { ...edits, pending: [...edits.pending, ...newDeletions(edits, entry.deletions)] };
    case "edit-pinned":
      return withPinned(edits, entry.block);
    case "edit-sent": {
      const blocks = edits.blocks.map((block) =>
        isPinned(block) && entry.pinnedBy.includes(block.requestId) ? { ...block, stage: "sent" as const } : block,
      );
      return { ...edits, blocks };
    }
    case "boundary-reset":
      return NO_CACHE_EDITS;
  }
}

/** A block is pinned once. What another block names is left out of it, and so is a block without any deletion. */
function withPinned(edits: CacheEdits, block: CacheEditBlock): CacheEdits {
  if (edits.blocks.some((one) => isPinned(one) && one.requestId === block.requestId)) return edits;
  const others = edits.blocks.filter(({ requestId }) => requestId !== block.requestId);
  const deletions = newDeletions({ pending: [], blocks: others }, block.deletions);
  const taken = new Set(block.deletions.map(({ itemKey }) => itemKey));
  const pending = edits.pending.filter(({ itemKey }) => !taken.has(itemKey));
  if (deletions.length === 0) return { pending, blocks: others };
  return { pending, blocks: [...others, { ...block, deletions, stage: "pinned" }] };
}

function names(deletions: readonly CacheDeletion[], key: ItemKey): boolean {
  return deletions.some(({ itemKey }) => itemKey === key);
}
