import type { Edit } from "../model/edit.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import type { Transcript } from "../model/transcript.ts";

/** A block of Ebb's own that is meant to stand behind one that came. */
export type Addition =
  | { readonly kind: "note"; readonly text: string }
  /** Left out where the provider remembers none of the results. */
  | {
      readonly kind: "delete";
      readonly callIds: ReadonlySet<string>;
      /** Index of the last text block that came in its message. */
      readonly lastText: number;
    };

/** What edits beside the markers mean for the blocks of a body. */
export interface StatedBlocks {
  /** Thinking to be left out. */
  readonly omitted: ReadonlySet<ItemKey>;
  /** In the order in which they stand behind the block of the item. */
  behind(item: Item): readonly Addition[];
}

const NOTHING: StatedBlocks = { omitted: new Set(), behind: () => [] };

/** What the edits state about a transcript: thinking of the model's left out, blocks put in on the user's side. */
export function statedBlocks(transcript: Transcript, edits: readonly Edit[]): StatedBlocks {
  if (edits.length === 0) return NOTHING;
  const items = itemsOf(transcript, edits);
  const omitted = new Set<ItemKey>();
  const byPlace = new Map<string, Addition[]>();
  for (const edit of edits) {
    const item = edit.kind === "omit" ? items.get(edit.itemKey) : undefined;
    if (item?.kind === "thinking" && item.role === "assistant") omitted.add(item.key);
    const anchor = "anchorKey" in edit ? items.get(edit.anchorKey) : undefined;
    if (anchor === undefined || !takesBlocks(anchor)) continue;
    const message = itemsBeside(transcript, anchor);
    const addition = additionOf(edit, items, message);
    if (addition === null) continue;
    const lastResult = lastIndex(message, isResult);
    const isBehindResults = addition.kind === "delete" && lastResult !== -1;
    const place = `${anchor.messageIndex} ${isBehindResults ? lastResult : Math.max(anchor.blockIndex, lastResult)}`;
    byPlace.set(place, [...(byPlace.get(place) ?? []), addition]);
  }
  return { omitted, behind: ({ messageIndex, blockIndex }) => byPlace.get(`${messageIndex} ${blockIndex}`) ?? [] };
}

/** The items that edits name, by key. */
export function itemsOf({ items }: Transcript, edits: readonly Edit[]): ReadonlyMap<ItemKey, Item> {
  const named = new Set(edits.flatMap(keysOf));
  return new Map(items.filter(({ key }) => named.has(key)).map((item) => [item.key, item]));
}

/**
 * How many blocks from item `at` on are the first of the additions behind the block that came as `cameAt` of its message: none
 * where it is not there.
 */
export function countAdded(
  source: WireSource,
  at: number,
  [addition, ...rest]: readonly Addition[],
  cameAt: number,
): number {
  const [item, behind] = source.transcript.items.slice(at, at + 2);
  if (addition === undefined) return 0;
  if (addition.kind === "note") return item?.kind === "text" && source.textOf(item) === addition.text ? 1 : 0;
  if (item?.kind !== "opaque" || !asksOnlyFor(source.textOf(item), addition.callIds)) return 0;
  const hasText = addition.lastText > cameAt || rest.some(({ kind }) => kind === "note");
  const isFilled = !hasText && behind?.kind === "text" && behind.messageIndex === item.messageIndex;
  return isFilled && source.textOf(behind) === FILLER ? 2 : 1;
}

/** A text that stands behind a deletion where none would. */
export const FILLER = ".";

/** Call ids that a block asks to delete; null where it is no such block. */
export function askedIn(block: unknown): readonly string[] | null {
  const members = typeof block === "object" && block !== null ? Object.values(block) : [];
  const [list, ...others] = members.filter((value): value is unknown[] => Array.isArray(value));
  if (list === undefined || others.length > 0 || list.length === 0 || members.length !== 2) return null;
  const ids = list.map((entry) => {
    const { type, ...rest } = typeof entry === "object" && entry !== null ? { type: null, ...entry } : { type: null };
    const [id, ...more] = Object.values(rest);
    return typeof type === "string" && more.length === 0 && typeof id === "string" ? id : null;
  });
  return ids.every((id) => id !== null) ? ids : null;
}

function asksOnlyFor(json: string, callIds: ReadonlySet<string>): boolean {
  return askedIn(JSON.parse(json))?.every((id) => callIds.has(id)) === true;
}

function keysOf(edit: Edit): readonly ItemKey[] {
  if (edit.kind === "delete") return [edit.anchorKey, ...edit.resultKeys];
  if (edit.kind === "note") return [edit.anchorKey];
  return "itemKey" in edit ? [edit.itemKey] : [];
}

function additionOf(edit: Edit, items: ReadonlyMap<ItemKey, Item>, message: readonly Item[]): Addition | null {
  if (edit.kind === "note") return edit.text === "" ? null : edit;
  if (edit.kind !== "delete") return null;
  const results = edit.resultKeys.map((key) => items.get(key));
  const callIds = new Set(results.flatMap((item) => (item?.kind === "result" ? item.callId : [])));
  return { kind: "delete", callIds, lastText: lastIndex(message, ({ kind }) => kind === "text") };
}

/** True where blocks of Ebb's own may stand behind the item's: on the user's side, in a message of a known shape. */
export function takesBlocks({ role, kind, ...item }: Item): boolean {
  return role === "user" && !(kind === "opaque" && "type" in item && item.type === "message");
}

function itemsBeside({ items, messages }: Transcript, { messageIndex }: Item): readonly Item[] {
  const { itemStart, itemEnd } = messages[messageIndex] ?? { itemStart: 0, itemEnd: 0 };
  return items.slice(itemStart, itemEnd);
}

/** Block index of the last item of a kind; -1 without one. */
function lastIndex(message: readonly Item[], isIt: (item: Item) => boolean): number {
  return message.findLast(isIt)?.blockIndex ?? -1;
}

function isResult(item: Item): boolean {
  return item.kind === "result" || (item.kind === "opaque" && item.type === "tool_result");
}
