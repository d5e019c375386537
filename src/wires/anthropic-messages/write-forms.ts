import type { Script } from "../../model/edit.ts";
import type { ItemKey } from "../../model/item.ts";
import type { Slot } from "../shared/seed.ts";
import { insertion, type Splice, shift } from "../shared/splice.ts";
import { type AnthropicSource, isMarkable } from "./source.ts";

/** The value of a `cache_control` by the lifetime it asks for; other lifetimes have no form. */
const CACHE_CONTROLS: ReadonlyMap<number, string> = new Map([
  [300_000, '{"type":"ephemeral"}'],
  [3_600_000, '{"type":"ephemeral","ttl":"1h"}'],
]);

/** Texts in the place of items, and breakpoints on their blocks. Of several edits of one kind and item the last counts. */
export function formSplices(source: AnthropicSource, script: Script): readonly Splice[] {
  const texts = new Map<ItemKey, string>();
  const marks = new Map<ItemKey, string>();
  for (const edit of script) {
    if (edit.kind === "replace" && edit.text !== "") texts.set(edit.itemKey, edit.text);
    if (edit.kind !== "breakpoint" || !isMarkable(source.placeOf(edit.itemKey))) continue;
    const value = CACHE_CONTROLS.get(edit.ttlMs);
    if (value !== undefined) marks.set(edit.itemKey, value);
  }
  const splices: Splice[] = [];
  for (const [key, text] of texts) {
    const place = source.placeOf(key);
    if (place === null || place.slot === null) continue;
    const { slot, messageStart } = place;
    for (const splice of splicesOf(slot, text, marks.get(key))) splices.push(shift(splice, messageStart));
    if (slot.kind === "block") marks.delete(key);
  }
  for (const [key, value] of marks) splices.push(...markSplices(source, key, value));
  return splices;
}

/** The value of the client's breakpoint stays as it was written: a text block is put around it. */
function splicesOf(slot: Slot, text: string, mark: string | undefined): readonly Splice[] {
  const written = JSON.stringify(text);
  if (slot.kind === "text") {
    const cuts = slot.cuts.map((cut) => ({ ...cut, bytes: null }));
    return [{ ...slot.text, bytes: Buffer.from(written) }, ...cuts];
  }
  if (slot.kind === "member") return [];
  const { block, breakpoint } = slot;
  const head = `{"type":"text","text":${written}`;
  if (breakpoint === null) return [{ ...block, bytes: Buffer.from(`${head}${memberOf(mark)}}`) }];
  return [
    { start: block.start, end: breakpoint.start, bytes: Buffer.from(`${head},"cache_control":`) },
    { start: breakpoint.end, end: block.end, bytes: Buffer.from("}") },
  ];
}

function markSplices(source: AnthropicSource, key: ItemKey, value: string): readonly Splice[] {
  const place = source.placeOf(key);
  if (place?.layout?.kind !== "list") return [];
  const block = place.layout.blocks[place.item.blockIndex];
  return block === undefined ? [] : [insertion(place.messageStart + block.end - 1, memberOf(value))];
}

function memberOf(mark: string | undefined): string {
  return mark === undefined ? "" : `,"cache_control":${mark}`;
}
