import type { Item } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import { countAdded, type StatedBlocks } from "./self-check-additions.ts";
import { blockFault, type Meant } from "./self-check-blocks.ts";
import type { PlacesNow } from "./self-check-breakpoints.ts";

/** What may differ between two bodies, block by block. */
export interface Difference {
  readonly meant: Meant;
  readonly stated: StatedBlocks;
}

/** How far two bodies were compared. */
interface Walk {
  before: number;
  after: number;
  /** Blocks put in so far in the message, less those left out. */
  shift: number;
  readonly origins: Map<number, number>;
  readonly changed: Set<number>;
}

/** Compares block by block; words for the first difference that is not meant, and where each block stands now. */
export function compareBlocks(
  before: WireSource,
  after: WireSource,
  difference: Difference,
): { readonly fault: string | null; readonly places: PlacesNow } {
  const { items } = before.transcript;
  const walk: Walk = { before: 0, after: 0, shift: 0, origins: new Map(), changed: new Set() };
  let fault: string | null = null;
  while (fault === null && walk.before < items.length) fault = nextFault(before, after, difference, walk);
  if (fault === null && walk.after !== after.transcript.items.length) fault = "the count of items differs";
  return { fault, places: walk };
}

function nextFault(before: WireSource, after: WireSource, { meant, stated }: Difference, walk: Walk): string | null {
  const { items } = before.transcript;
  const own = blockFrom(items, walk.before);
  const [item] = own;
  if (item === undefined) return null;
  if (items[walk.before - 1]?.messageIndex !== item.messageIndex) walk.shift = 0;
  const other = blockFrom(after.transcript.items, walk.after);
  const isStated = stated.omitted.has(item.key);
  if (isStated && !(isAllOmitted(before, item, stated) && isItself(item, other[0], walk.shift))) {
    walk.shift -= 1;
    walk.before += 1;
    walk.changed.add(walk.before);
    return null;
  }
  const { shift } = walk;
  const fault = blockFault({ items: own, source: before }, { items: other, source: after, shift }, meant);
  if (fault !== null) return `item ${walk.before} (${item.kind}) ${fault}`;
  walk.before += own.length;
  walk.after += other.length;
  const end = walk.after;
  const missing = passAdditions(after, item, stated, walk);
  for (let at = end; at <= walk.after; at++) walk.origins.set(at, walk.before);
  if (own.length !== other.length || own.some(({ digest }, at) => other[at]?.digest !== digest)) {
    walk.changed.add(walk.before);
  }
  return missing === null ? null : `behind item ${walk.before - 1} ${missing}`;
}

/** Steps over the blocks that are meant to stand behind one. */
function passAdditions(after: WireSource, item: Item, stated: StatedBlocks, walk: Walk): string | null {
  const additions = stated.behind(item);
  for (const [index, addition] of additions.entries()) {
    const written = after.transcript.items[walk.after];
    const isNext =
      written?.messageIndex === item.messageIndex && written.blockIndex === item.blockIndex + walk.shift + 1;
    const count = isNext ? countAdded(after, walk.after, additions.slice(index), item.blockIndex) : 0;
    if (count === 0 && addition.kind === "note") return "a note is missing";
    walk.after += count;
    walk.shift += count;
  }
  return null;
}

function isItself(item: Item, written: Item | undefined, shift: number): boolean {
  return (
    written?.kind === item.kind &&
    written.digest === item.digest &&
    written.messageIndex === item.messageIndex &&
    written.blockIndex === item.blockIndex + shift
  );
}

/** A message keeps one block, whatever is to be left out. */
function isAllOmitted({ transcript }: WireSource, { messageIndex }: Item, { omitted }: StatedBlocks): boolean {
  const { itemStart, itemEnd } = transcript.messages[messageIndex] ?? { itemStart: 0, itemEnd: 0 };
  return transcript.items.slice(itemStart, itemEnd).every(({ key }) => omitted.has(key));
}

/** The items of one block: a result and the media in it, or any other item alone. */
function blockFrom(items: readonly Item[], start: number): readonly Item[] {
  const first = items[start];
  if (first?.kind !== "result") return items.slice(start, start + 1);
  let end = start + 1;
  while (isWithin(items[end], first)) end++;
  return items.slice(start, end);
}

function isWithin(item: Item | undefined, { callId, messageIndex, blockIndex }: Item & { callId: string }): boolean {
  return (
    item?.kind === "media" &&
    item.callId === callId &&
    item.messageIndex === messageIndex &&
    item.blockIndex === blockIndex
  );
}
