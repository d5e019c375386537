import type { ModelFacts } from "../model/cache.ts";
import type { Proposal } from "../model/decision.ts";
import type { Item, ItemKey, ResultItem } from "../model/item.ts";
import type { Message, Transcript } from "../model/transcript.ts";
import { type CacheEdits, isPinned, type PinnedBlock } from "./cache-edits.ts";

/** What of a request tells which of its results can be deleted from the cache, and where. */
export interface EditPlace {
  readonly transcript: Transcript;
  /** Items at the head of the request that the provider holds for certain under its model and cache key. */
  readonly cachedKeys: ReadonlySet<ItemKey>;
  /** Items that an earlier request of the lineage held. */
  readonly sentKeys: ReadonlySet<ItemKey>;
  /** False for a sub-agent, and for a request beside the conversation. */
  readonly isMain: boolean;
  /** True where the model forgets its thinking as soon as a text of the user's side follows it. */
  readonly forgetsThinking: boolean;
}

/**
 * Results whose deletion may be queued: strictly inside the cached prefix of the main conversation, before the message with the last
 * breakpoint. Results with attachments or unknown parts inside stay whole; an error stays in view.
 */
export function registeredResults({ transcript, cachedKeys, isMain }: EditPlace): ReadonlySet<ItemKey> {
  const end = markedMessage(transcript);
  if (!isMain || end === null) return new Set();
  const registered = transcript.items.filter(
    (item) => item.messageIndex < end && cachedKeys.has(item.key) && isDeletable(item),
  );
  return new Set(registered.map(({ key }) => key));
}

/**
 * The item behind which this request's own deletions stand: the last result of its last user message, or else that message's last
 * item. Null where that message was sent before: what was sent keeps its form; and where the note would be the first text behind thinking
 * that the model then forgets, with all that was cached behind it.
 */
export function anchorOf({ transcript, sentKeys, isMain, forgetsThinking }: EditPlace): ItemKey | null {
  const message = transcript.messages.findLast(({ role }) => role === "user");
  if (!isMain || message === undefined) return null;
  if (forgetsThinking && !isSpoken(transcript, message) && isThinkingSinceSpoken(transcript, message)) return null;
  const items = itemsOf(transcript, message);
  const anchor = items.findLast(({ kind }) => kind === "result") ?? items.at(-1) ?? null;
  return anchor === null || items.some(({ key }) => sentKeys.has(key)) ? null : anchor.key;
}

/**
 * Blocks that a request can carry: its model deletes, and it holds their anchor, and their results before the message with its last
 * breakpoint. Where it cannot, the results stand in full and no note says otherwise.
 */
export function carriedBlocks(
  { blocks }: CacheEdits,
  transcript: Transcript,
  { deletesInCache }: Pick<ModelFacts, "deletesInCache">,
): readonly PinnedBlock[] {
  if (blocks.length === 0 || !deletesInCache) return [];
  const end = markedMessage(transcript) ?? 0;
  const messages = new Map(transcript.items.map(({ key, messageIndex }) => [key, messageIndex]));
  return blocks
    .filter(isPinned)
    .filter(
      ({ anchorKey, deletions }) =>
        messages.has(anchorKey) && deletions.every(({ itemKey }) => (messages.get(itemKey) ?? end) < end),
    );
}

/** True where a proposal is for the whole of an item to leave, and nothing of it must stay in view. */
export function leavesWhole({ reason }: Pick<Proposal, "reason">): boolean {
  return reason === "stale" || reason === "superseded" || reason === "expired" || reason === "let_go";
}

/** Index of the message with the last breakpoint; null without one. */
function markedMessage({ items, breakpoints }: Transcript): number | null {
  const last = breakpoints.at(-1);
  return last === undefined ? null : (items[last.itemCount - 1]?.messageIndex ?? null);
}

function isDeletable(item: Item): item is ResultItem {
  return item.kind === "result" && item.mediaCount === 0 && item.isReplaceable && !item.isError;
}

function isThinkingSinceSpoken(transcript: Transcript, { itemStart }: Message): boolean {
  const before = transcript.messages.filter(({ itemEnd }) => itemEnd <= itemStart);
  const spoken = before.findLast((message) => isSpoken(transcript, message));
  return transcript.items.slice(spoken?.itemEnd ?? 0, itemStart).some(({ kind }) => kind === "thinking");
}

/** True for a message of the user's side that holds more than results. */
function isSpoken(transcript: Transcript, message: Message): boolean {
  return message.role === "user" && itemsOf(transcript, message).some((item) => !isOfResult(item));
}

function isOfResult(item: Item): boolean {
  return item.kind === "result" || (item.kind === "media" && item.callId !== null);
}

function itemsOf({ items }: Transcript, { itemStart, itemEnd }: Message): readonly Item[] {
  return items.slice(itemStart, itemEnd);
}
