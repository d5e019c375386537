import type { Span } from "../../lib/json-scan.ts";
import type { Script } from "../../model/edit.ts";
import type { ItemKey } from "../../model/item.ts";
import type { Lookups } from "./lookups.ts";
import { PROMPT_CACHE_BREAKPOINT } from "./openai-cache.ts";
import type { Slot } from "./seed.ts";
import { type Splice, shift } from "./splice.ts";

/**
 * Texts in the place of items, for a format that takes no other edits; the rest of a script is skipped, and so are empty texts. Of
 * several texts for one item the last counts. `textPart` writes the object that stands in the place of media, given its text as JSON.
 */
export function replacementSplices(
  { placeOf }: Pick<Lookups, "placeOf">,
  script: Script,
  textPart: (json: string) => string,
): readonly Splice[] {
  const texts = new Map<ItemKey, string>();
  for (const edit of script) if (edit.kind === "replace" && edit.text !== "") texts.set(edit.itemKey, edit.text);
  return Array.from(texts).flatMap(([key, text]) => {
    const place = placeOf(key);
    if (place === null || place.slot === null) return [];
    return slotSplices(place.slot, JSON.stringify(text), textPart).map((splice) => shift(splice, place.entryStart));
  });
}

function slotSplices(slot: Slot, json: string, textPart: (json: string) => string): readonly Splice[] {
  switch (slot.kind) {
    case "text":
      return [{ ...slot.text, bytes: Buffer.from(json) }, ...slot.cuts.map((cut) => ({ ...cut, bytes: null }))];
    case "member":
      return [{ ...slot.value, bytes: Buffer.from(`{${JSON.stringify(slot.name)}:${json}}`) }];
    case "block":
      return blockSplices(slot.block, slot.breakpoint, textPart(json));
  }
}

/** Where the block has a breakpoint, the part goes around the bytes of its value. */
function blockSplices(block: Span, breakpoint: Span | null, part: string): readonly Splice[] {
  if (breakpoint === null) return [{ ...block, bytes: Buffer.from(part) }];
  const open = `${part.slice(0, -1)},${JSON.stringify(PROMPT_CACHE_BREAKPOINT)}:`;
  return [
    { start: block.start, end: breakpoint.start, bytes: Buffer.from(open) },
    { start: breakpoint.end, end: block.end, bytes: Buffer.from("}") },
  ];
}
