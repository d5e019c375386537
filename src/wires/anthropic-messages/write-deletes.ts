import type { Script } from "../../model/edit.ts";
import type { ItemKey, ResultItem } from "../../model/item.ts";
import { insertion, type Splice } from "../shared/splice.ts";
import type { CacheEditsAdapter } from "./cache-edits.ts";
import { type AnthropicSource, isMarkable, type PlacedItem } from "./source.ts";

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
 * Asks for each result once, and only for what the provider remembers and can tell: results before the message with the last
 * cache breakpoint, and before the message that asks, whose call no other result answers. An edit without any asks nothing.
 */
export function deleteSplices(source: AnthropicSource, script: Script, adapter: CacheEditsAdapter | null): Deletes {
  const blocks = new Map<number, DeleteBlock>();
  if (adapter === null || !script.some(({ kind }) => kind === "delete")) return { blocks, references: [] };
  const named = namedResults(source, cachedEndOf(source, script), adapter);
  const asked = new Set<string>();
  for (const [index, edit] of script.entries()) {
    const anchor = edit.kind === "delete" ? source.placeOf(edit.anchorKey) : null;
    if (edit.kind !== "delete" || anchor === null || !canAsk(anchor)) continue;
    const results = edit.resultKeys.flatMap((key) => named.get(key) ?? []);
    const ids = results.flatMap(({ item }) => (item.messageIndex < anchor.item.messageIndex ? [item.callId] : []));
    const fresh = Array.from(new Set(ids)).filter((id) => !asked.has(id));
    for (const id of fresh) asked.add(id);
    if (fresh.length > 0) blocks.set(index, blockOf(fresh, adapter));
  }
  return { blocks, references: blocks.size === 0 ? [] : referencesTo(named.values(), adapter) };
}

/** Only the user's side asks. */
function canAsk({ layout, item }: PlacedItem): boolean {
  return layout !== null && item.role === "user";
}

function blockOf(ids: readonly string[], adapter: CacheEditsAdapter): DeleteBlock {
  const edits = ids.map((id) => ({ type: adapter.deleteType, [adapter.referenceMember]: id }));
  const json = JSON.stringify({ type: adapter.blockType, [adapter.editsMember]: edits });
  return { json, isText: false, needsTextBehind: adapter.needsTextBehind };
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

interface NamedResult {
  readonly item: ResultItem;
  /** Where the name goes. */
  readonly close: number;
}

function namedResults(
  source: AnthropicSource,
  cachedEnd: number,
  adapter: CacheEditsAdapter,
): ReadonlyMap<ItemKey, NamedResult> {
  const { items, messages } = source.transcript;
  const results = items.slice(0, messages[cachedEnd]?.itemStart ?? 0).filter((item) => item.kind === "result");
  const counts = new Map<string, number>();
  for (const { callId } of results) counts.set(callId, (counts.get(callId) ?? 0) + 1);
  const named = new Map<ItemKey, NamedResult>();
  for (const item of results) {
    const close = item.callId !== "" && counts.get(item.callId) === 1 ? nameAt(source, item, adapter) : null;
    if (close !== null) named.set(item.key, { item, close });
  }
  return named;
}

/** The brace that closes a result which can take a name and has none. */
function nameAt(source: AnthropicSource, { key, role }: ResultItem, adapter: CacheEditsAdapter): number | null {
  const place = source.placeOf(key);
  if (role !== "user" || place?.layout?.kind !== "list") return null;
  const block = place.layout.blocks[place.item.blockIndex];
  const otherNames = block?.otherNames ?? null;
  const isFree = block !== undefined && otherNames !== null && !otherNames.includes(adapter.referenceMember);
  return isFree ? place.messageStart + block.end - 1 : null;
}

function referencesTo(named: Iterable<NamedResult>, { referenceMember }: CacheEditsAdapter): readonly Splice[] {
  const member = JSON.stringify(referenceMember);
  return Array.from(named, ({ item, close }) => insertion(close, `,${member}:${JSON.stringify(item.callId)}`));
}
