import type { Boundary, CacheDeletion, CacheEditBlock } from "../model/cache-edit.ts";
import type { ItemKey } from "../model/item.ts";
import { noteOf } from "./cache-edit-note.ts";
import {
  type CacheEditEntry,
  type CacheEdits,
  type EditBlock,
  entriesOfCacheEdits,
  foldCacheEdits,
  isPinned,
  newDeletions,
  recoveredCacheEdits,
} from "./cache-edits.ts";

/** The edits after a move, and what the ledger must hold before anything of it leaves. */
export type Moved = readonly [CacheEdits, readonly CacheEditEntry[]];

/**
 * Registered results wait in the pending block for the next request. A result that is not registered, or whose deletion is on
 * its way or done, is left out.
 */
export function queueDeletions(
  edits: CacheEdits,
  deletions: readonly CacheDeletion[],
  registered: ReadonlySet<ItemKey>,
): Moved {
  const queued = newDeletions(edits, deletions).filter(({ itemKey }) => registered.has(itemKey));
  return queued.length === 0 ? [edits, []] : moved(edits, [{ type: "edit-queued", deletions: queued }]);
}

/**
 * A request takes the pending block, before its body is built. However often the same request asks, it gets the same block; null
 * where nothing was pending when it asked first. What is queued while another request has not pinned what it took goes on waiting.
 */
export function consumePending(edits: CacheEdits, requestId: string): readonly [CacheEdits, EditBlock | null] {
  const own = blockOf(edits, requestId);
  const isTaking = edits.blocks.some((block) => !isPinned(block));
  if (own !== null || isTaking || edits.pending.length === 0) return [edits, own];
  const block = { stage: "consumed" as const, requestId, deletions: edits.pending };
  return [{ pending: [], blocks: [...edits.blocks, block] }, block];
}

/**
 * What a request took gets its place, behind an item of the user message it came with, and its note. Both stay as they are:
 * pinning again changes nothing.
 */
export function pinConsumed(edits: CacheEdits, requestId: string, anchorKey: ItemKey): Moved {
  const own = blockOf(edits, requestId);
  if (own === null || isPinned(own)) return [edits, []];
  const { deletions } = own;
  const block: CacheEditBlock = { requestId, anchorKey, deletions, note: noteOf(deletions) };
  return moved(edits, [{ type: "edit-pinned", block }]);
}

/** A request that never left gives back what it took and did not pin. */
export function giveBackConsumed(edits: CacheEdits, requestId: string): CacheEdits {
  const own = blockOf(edits, requestId);
  if (own === null || isPinned(own)) return edits;
  return { pending: [...own.deletions, ...edits.pending], blocks: edits.blocks.filter((block) => block !== own) };
}

/**
 * A request was answered that carried the blocks of these requests: with success they are sent for good. After a failure they
 * stay pinned as they are, and the retry carries them again.
 */
export function noteAnswer(edits: CacheEdits, carried: readonly string[], isSuccess: boolean): Moved {
  const pinnedBy = edits.blocks
    .filter(({ stage, requestId }) => stage === "pinned" && carried.includes(requestId))
    .map(({ requestId }) => requestId);
  return isSuccess && pinnedBy.length > 0 ? moved(edits, [{ type: "edit-sent", pinnedBy }]) : [edits, []];
}

/** Everything ends: the session begins anew, its client compacted it, or somebody says that the cache is gone. */
export function resetEdits(edits: CacheEdits, why: Exclude<Boundary, "rewind">): Moved {
  return isEmpty(edits) ? [edits, []] : moved(edits, [{ type: "boundary-reset", why }]);
}

/**
 * The history goes on from an earlier point, with these items. A block lives on, as it is, where its anchor and every result it
 * names are among them; what waits lives on where its result is.
 */
export function rewindEdits(edits: CacheEdits, keys: ReadonlySet<ItemKey>): Moved {
  const { pending, blocks } = recoveredCacheEdits(edits);
  const kept = {
    pending: pending.filter(({ itemKey }) => keys.has(itemKey)),
    blocks: blocks.filter((block) => isPinned(block) && keys.has(block.anchorKey) && namesOnly(block, keys)),
  };
  const isWhole = kept.pending.length === pending.length && kept.blocks.length === blocks.length;
  if (isWhole) return [edits, []];
  return moved(edits, [{ type: "boundary-reset", why: "rewind" }, ...entriesOfCacheEdits(kept)]);
}

/** What a lineage that shares these items begins with, as entries of its own. */
export function inheritedEdits(
  edits: CacheEdits,
  keys: ReadonlySet<ItemKey>,
  boundary: Exclude<Boundary, "rewind"> | null,
): readonly CacheEditEntry[] {
  if (boundary !== null) return resetEdits(edits, boundary)[1];
  const [kept, entries] = rewindEdits(edits, keys);
  return entries.length > 0 ? entries : entriesOfCacheEdits(kept);
}

/** What a request took; null where it took nothing. */
export function blockOf({ blocks }: CacheEdits, requestId: string): EditBlock | null {
  return blocks.find((block) => block.requestId === requestId) ?? null;
}

/** Every recorded move is the fold of its own entries, so that a restart finds what was there. */
function moved(edits: CacheEdits, entries: readonly CacheEditEntry[]): Moved {
  return [foldCacheEdits(edits, entries), entries];
}

function namesOnly({ deletions }: EditBlock, keys: ReadonlySet<ItemKey>): boolean {
  return deletions.every(({ itemKey }) => keys.has(itemKey));
}

function isEmpty({ pending, blocks }: CacheEdits): boolean {
  return pending.length + blocks.length === 0;
}
