import type { Script } from "../../model/edit.ts";
import type { ItemKey, ResultItem } from "../../model/item.ts";
import type { CacheEditsAdapter } from "./cache-edits.ts";
import { type AnthropicSource, isMarkable, type PlacedItem } from "./source.ts";
import { insertion, type Splice } from "./splice.ts";

/** What a script's deletions put into a body. */
export interface Deletes {
  /** The block of each `delete` edit, by the edit's place in the script. */
  readonly blocks: ReadonlyMap<number, DeleteBlock>;
  /** The names of all results that the provider remembers. */
  readonly references: readonly Splice[];
}

export interface DeleteBlock {
  readonly json: string;
  readonly isText: false;
  readonly needsTextBehind: boolean;
}

/**
 * Asks for each result once, and only for what the provider remembers: results before the message with the last cache
 * breakpoint. An edit without any asks nothing.
 */
export function deleteSplices(source: AnthropicSource, script: Script, adapter: CacheEditsAdapter | null): Deletes {
  const blocks = new Map<number, DeleteBlock>();
  if (adapter === null || !script.some(({ kind }) => kind === "delete")) return { blocks, references: [] };
  const cachedEnd = cachedEndOf(source, script);
  const asked = new Set<string>();
  for (const [index, edit] of script.entries()) {
    if (edit.kind !== "delete" || !canAsk(source.placeOf(edit.anchorKey))) continue;
    const edits = edit.resultKeys.flatMap((key) => {
      const place = referencedAt(source, key, cachedEnd, adapter);
      if (place === null || asked.has(place.item.callId)) return [];
      asked.add(place.item.callId);
      return [{ type: adapter.deleteType, [adapter.referenceMember]: place.item.callId }];
    });
    if (edits.length === 0) continue;
    const json = JSON.stringify({ type: adapter.blockType, [adapter.editsMember]: edits });
    blocks.set(index, { json, isText: false, needsTextBehind: adapter.needsTextBehind });
  }
  return { blocks, references: blocks.size === 0 ? [] : referencesOf(source, cachedEnd, adapter) };
}

/** Only the user's side asks. */
function canAsk(place: PlacedItem | null): boolean {
  return place !== null && place.layout !== null && place.item.role === "user";
}

/** Index of the message that carries the last breakpoint; 0 without one. */
function cachedEndOf(source: AnthropicSource, script: Script): number {
  const { breakpoints, items } = source.transcript;
  let last = 0;
  for (const { itemCount } of breakpoints) last = Math.max(last, items[itemCount - 1]?.messageIndex ?? 0);
  for (const edit of script) {
    const place = edit.kind === "breakpoint" ? source.placeOf(edit.itemKey) : null;
    if (isMarkable(place)) last = Math.max(last, place?.item.messageIndex ?? 0);
  }
  return last;
}

interface Referenced extends PlacedItem {
  readonly item: ResultItem;
  /** Where the name goes. */
  readonly close: number;
}

function referencedAt(
  source: AnthropicSource,
  key: ItemKey,
  cachedEnd: number,
  { referenceMember }: CacheEditsAdapter,
): Referenced | null {
  const place = source.placeOf(key);
  if (place === null || place.layout?.kind !== "list") return null;
  const { item, layout, messageStart } = place;
  if (item.kind !== "result" || item.role !== "user" || item.messageIndex >= cachedEnd) return null;
  const block = layout.blocks[item.blockIndex];
  if (block === undefined || block.otherNames === null || block.otherNames.includes(referenceMember)) return null;
  return { ...place, item, close: messageStart + block.end - 1 };
}

function referencesOf(source: AnthropicSource, cachedEnd: number, adapter: CacheEditsAdapter): readonly Splice[] {
  const { items, messages } = source.transcript;
  const end = messages[cachedEnd]?.itemStart ?? 0;
  const splices: Splice[] = [];
  for (let index = 0; index < end; index++) {
    const item = items[index];
    const place = item?.kind === "result" ? referencedAt(source, item.key, cachedEnd, adapter) : null;
    if (place === null) continue;
    const member = `,${JSON.stringify(adapter.referenceMember)}:${JSON.stringify(place.item.callId)}`;
    splices.push(insertion(place.close, member));
  }
  return splices;
}
