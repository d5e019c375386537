import { placesOf } from "../engine/block-counts.ts";
import { blockOf, consumePending, pinConsumed, queueDeletions } from "../engine/cache-edit-moves.ts";
import { anchorOf, carriedBlocks, type EditPlace, registeredResults } from "../engine/cache-edit-placement.ts";
import {
  type CacheEditEntry,
  type CacheEdits,
  isPinned,
  type PinnedBlock,
  scriptOfCacheEdits,
  stageOf,
} from "../engine/cache-edits.ts";
import { entryFoundFrom } from "../engine/cache-entries.ts";
import type { ModelFacts } from "../model/cache.ts";
import type { CacheDeletion } from "../model/cache-edit.ts";
import type { Script } from "../model/edit.ts";
import type { ItemKey } from "../model/item.ts";
import type { Wire } from "../model/ports.ts";
import type { CacheView, View } from "../model/view.ts";
import type { DraftInput } from "./draft.ts";

/** What one request newly asks the provider to delete, as edits, and what the ledger must hold of it. */
export interface TakenDeletions {
  readonly script: Script;
  readonly entries: readonly CacheEditEntry[];
}

/** Nothing is newly asked. */
export const NOTHING_TAKEN: TakenDeletions = { script: [], entries: [] };

const NONE: ReadonlySet<ItemKey> = new Set();

/** The blocks that a request repeats. */
export function carriedIn({
  source,
  placement,
  request,
}: Pick<DraftInput, "source" | "placement" | "request">): readonly PinnedBlock[] {
  if (!takesDeletions(request.wire)) return [];
  const { transcript } = source;
  return carriedBlocks(
    placement.lineage.standing.cacheEdits,
    transcript,
    request.provider.modelFacts(transcript.header.model),
  );
}

/**
 * Results whose deletion this request can ask for. None where the model does not delete, where not all is on record that may have
 * filled the cache, or where no new user message can carry it.
 */
export function deletableResults(input: DraftInput, model: ModelFacts, cache: CacheView): ReadonlySet<ItemKey> {
  if (!model.deletesInCache || !cache.isKnown || !takesDeletions(input.request.wire)) return NONE;
  const place = placeIn(input, { cache, model });
  if (anchorOf(place) === null) return NONE;
  const { cacheEdits } = input.placement.lineage.standing;
  return new Set(Array.from(registeredResults(place)).filter((key) => stageOf(cacheEdits, key) === null));
}

/** The request takes these deletions and what was pending, behind its own user message; a block it took before stays the same. */
export function takeDeletions(
  input: DraftInput,
  view: Pick<View, "cache" | "model">,
  deletions: readonly CacheDeletion[],
): TakenDeletions {
  const { cacheEdits } = input.placement.lineage.standing;
  if (deletions.length + cacheEdits.pending.length === 0 || !takesDeletions(input.request.wire)) return NOTHING_TAKEN;
  const place = placeIn(input, view);
  const anchorKey = anchorOf(place);
  const [queued, queuedEntries] = queueDeletions(cacheEdits, deletions, registeredResults(place));
  if (anchorKey === null) return { script: [], entries: queuedEntries };
  const [consumed] = consumePending(queued, input.requestId);
  const [pinned, pinnedEntries] = pinConsumed(consumed, input.requestId, anchorKey);
  return { script: scriptOwnedBy(input.requestId, pinned), entries: [...queuedEntries, ...pinnedEntries] };
}

/** A deletion goes with a note of what left. */
function takesDeletions({ takes }: Wire): boolean {
  return takes.has("delete") && takes.has("note");
}

function scriptOwnedBy(requestId: string, edits: CacheEdits): Script {
  const own = blockOf(edits, requestId);
  return own !== null && isPinned(own) ? scriptOfCacheEdits({ pending: [], blocks: [own] }) : [];
}

function placeIn(input: DraftInput, view: Pick<View, "cache" | "model">): EditPlace {
  const { source, understood, placement, request } = input;
  const { transcript } = source;
  const { agentId, parentAgentId } = request.hints;
  return {
    transcript,
    cachedKeys: new Set(transcript.items.slice(0, readCount(source, view)).map(({ key }) => key)),
    sentKeys: new Set(understood.chain.keys.slice(0, placement.sentCount)),
    isMain: agentId === null && parentAgentId === null && transcript.header.toolNames.length > 0,
    forgetsThinking: !view.model.keepsThinking,
  };
}

/** Items up to the end of the longest prefix that this request reads and of which a response told. */
function readCount({ transcript }: DraftInput["source"], { cache }: Pick<View, "cache">): number {
  const told = cache.entries.filter(({ tokens }) => tokens !== null);
  const found = placesOf(transcript.breakpoints, cache.blockCounts).map((place) => entryFoundFrom(place, told));
  return Math.max(0, ...found.map((entry) => entry?.itemCount ?? 0));
}
