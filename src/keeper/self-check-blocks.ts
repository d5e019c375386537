import { isWoven } from "../lib/woven-text.ts";
import type { Item, ItemKey, MediaItem, ResultItem } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";

/**
 * What is meant to stand in the place of items: markers by item; or, where no decisions are known, the texts that were put
 * in, in the order of the body. Those are taken from the list as they are found.
 */
export type Meant =
  | { readonly kind: "markers"; readonly markers: ReadonlyMap<ItemKey, string> }
  | { readonly kind: "texts"; readonly left: string[] };

/** A block's items as one body has them: a result and the media in it, or any other item alone. */
export interface BlockItems {
  readonly items: readonly Item[];
  readonly source: WireSource;
}

/** A written block, in a message that holds so many blocks more before it. */
export interface WrittenItems extends BlockItems {
  readonly shift: number;
}

/** How a written block differs from the one that came, beyond what is meant; null where it does not. */
export function blockFault(before: BlockItems, after: WrittenItems, meant: Meant): string | null {
  const [item] = before.items;
  const [written] = after.items;
  if (item === undefined || written === undefined) return "is missing";
  const isThere = written.messageIndex === item.messageIndex && written.blockIndex === item.blockIndex + after.shift;
  if (!isThere) return "moved";
  if (item.kind === "media") return mediaFault(item, written, after.source, meant);
  if (written.kind !== item.kind) return "changed its kind";
  if (item.kind === "result" && written.kind === "result") return resultFault(before, after, { item, written }, meant);
  if (meant.kind === "markers" && meant.markers.has(item.key)) return "is not one that can be replaced";
  return written.digest === item.digest ? null : "differs from what came";
}

function mediaFault(item: MediaItem, written: Item, source: WireSource, meant: Meant): string | null {
  if (written.kind === "media") {
    const isMeant = meant.kind === "texts" || !meant.markers.has(item.key);
    return isMeant && written.digest === item.digest ? null : "differs from what was meant";
  }
  const text = meant.kind === "markers" ? meant.markers.get(item.key) : meant.left.shift();
  if (text === undefined || written.kind !== "text") return "changed its kind";
  return source.textOf(written) === text ? null : "does not hold its marker";
}

interface Results {
  readonly item: ResultItem;
  readonly written: ResultItem;
}

/** Media that left stand as texts among those of their result. */
function resultFault(before: BlockItems, after: BlockItems, results: Results, meant: Meant): string | null {
  const { item, written } = results;
  if (written.callId !== item.callId || written.isError !== item.isError) return "lost its call";
  const media = before.items.slice(1);
  const kept = after.items.slice(1);
  if (meant.kind === "texts") return foundFault(before, after, results, meant.left);
  const { markers } = meant;
  const staying = media.filter(({ key }) => !markers.has(key));
  if (!areSame(staying, kept)) return "holds other media than it should";
  const pieces = media.flatMap(({ key }) => markers.get(key) ?? []);
  const marker = markers.get(item.key);
  if (marker === undefined && pieces.length === 0) {
    return written.digest === item.digest ? null : "differs from what came";
  }
  const text = marker ?? before.source.textOf(item);
  if (isWoven(after.source.textOf(written), text, pieces)) return null;
  return marker === undefined ? "differs from what came" : "does not hold its marker";
}

/** One text for each of its media that is gone, and one more where its own text is no longer there. */
function foundFault(before: BlockItems, after: BlockItems, { item, written }: Results, left: string[]): string | null {
  const gone = before.items.length - after.items.length;
  if (gone < 0 || !areWithin(after.items.slice(1), before.items.slice(1))) return "holds other media than it should";
  const text = after.source.textOf(written);
  const pieces = left.splice(0, gone);
  if (pieces.length < gone) return "lost its media";
  if (gone === 0 && written.digest === item.digest) return null;
  if (gone > 0 && isWoven(text, before.source.textOf(item), pieces)) return null;
  const own = left.shift();
  return own !== undefined && [...pieces, own].join("") === text ? null : "does not hold its marker";
}

function areSame(left: readonly Item[], right: readonly Item[]): boolean {
  return left.length === right.length && left.every(({ digest }, at) => right[at]?.digest === digest);
}

/** True where `few` are some of `all`, in the same order. */
function areWithin(few: readonly Item[], all: readonly Item[]): boolean {
  let at = 0;
  for (const { digest } of all) if (few[at]?.digest === digest) at++;
  return at === few.length;
}
