import type { Proposal } from "../model/decision.ts";
import type { Item, ItemKey, ResultItem } from "../model/item.ts";
import type { Message, Transcript } from "../model/transcript.ts";

/** What of a request tells which of its results can be deleted from the cache, and where. */
export interface EditPlace {
  readonly transcript: Transcript;
  /** Items at the head of the request that the provider holds for certain under its model and cache key. */
  readonly cachedKeys: ReadonlySet<ItemKey>;
  /** Items that an earlier request of the lineage held. */
  readonly sentKeys: ReadonlySet<ItemKey>;
  /** False for a sub-agent, and for a request beside the conversation. */
  readonly isMain: boolean;
}

/**
 * Results whose deletion may be queued: strictly inside the cached prefix of the main conversation, before the message with the last
 * breakpoint. Results with attachments or unknown parts inside stay whole; an error stays in view.
 */
export function registeredResults({ transcript, cachedKeys, isMain }: EditPlace): ReadonlySet<ItemKey> {
  const last = transcript.breakpoints.at(-1);
  const end = last === undefined ? null : transcript.items[last.itemCount - 1];
  if (!isMain || end === null || end === undefined) return new Set();
  const registered = transcript.items.filter(
    (item) => item.messageIndex < end.messageIndex && cachedKeys.has(item.key) && isDeletable(item),
  );
  return new Set(registered.map(({ key }) => key));
}

/**
 * The item behind which this request's own deletions stand: the last result of its last user message, or else that message's last
 * item. Null where that message was sent before: what was sent keeps its form.
 */
export function anchorOf({ transcript, sentKeys, isMain }: EditPlace): ItemKey | null {
  const message = transcript.messages.findLast(({ role }) => role === "user");
  if (!isMain || message === undefined) return null;
  const items = itemsOf(transcript, message);
  const anchor = items.findLast(({ kind }) => kind === "result") ?? items.at(-1) ?? null;
  return anchor === null || items.some(({ key }) => sentKeys.has(key)) ? null : anchor.key;
}

/** True where a proposal is for the whole of an item to leave, and nothing of it must stay in view. */
export function leavesWhole({ reason }: Pick<Proposal, "reason">): boolean {
  return reason === "stale" || reason === "superseded" || reason === "expired" || reason === "let_go";
}

function isDeletable(item: Item): item is ResultItem {
  return item.kind === "result" && item.mediaCount === 0 && item.isReplaceable && !item.isError;
}

function itemsOf({ items }: Transcript, { itemStart, itemEnd }: Message): readonly Item[] {
  return items.slice(itemStart, itemEnd);
}
