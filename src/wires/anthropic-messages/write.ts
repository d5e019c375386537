import { assert } from "../../lib/assert.ts";
import type { Span } from "../../lib/json-scan.ts";
import type { Script } from "../../model/edit.ts";
import type { ItemKey } from "../../model/item.ts";
import type { WireSource } from "../../model/ports.ts";
import { isAnthropicSource } from "./source.ts";

/** Bytes of the body that give way to other bytes. */
interface Splice extends Span {
  readonly bytes: Uint8Array | null;
}

/**
 * The body with the script's texts spliced in. The slices between them are the body's own memory. Skips edits of items
 * that are not in the body or are no results with a text, and refuses empty texts, which the API rejects for good. Of several
 * edits of one item the last counts.
 */
export function writeBody(body: Uint8Array, source: WireSource, script: Script): readonly Uint8Array[] {
  assert(isAnthropicSource(source), "a body is written with the source that was read from it");
  const texts = new Map<ItemKey, string>();
  for (const edit of script) if (edit.text !== "") texts.set(edit.itemKey, edit.text);
  const splices: Splice[] = [];
  for (const [key, text] of texts) {
    const place = source.slotOf(key);
    if (place === null) continue;
    const { messageStart, slot } = place;
    splices.push({ ...shift(slot.text, messageStart), bytes: Buffer.from(JSON.stringify(text)) });
    for (const cut of slot.cuts) splices.push({ ...shift(cut, messageStart), bytes: null });
  }
  return splice(
    body,
    splices.sort((one, other) => one.start - other.start),
  );
}

function shift(span: Span, by: number): Span {
  return { start: span.start + by, end: span.end + by };
}

function splice(body: Uint8Array, splices: readonly Splice[]): readonly Uint8Array[] {
  if (splices.length === 0) return [body];
  const slices: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, bytes } of splices) {
    if (start > at) slices.push(body.subarray(at, start));
    if (bytes !== null) slices.push(bytes);
    at = end;
  }
  if (at < body.length) slices.push(body.subarray(at));
  return slices;
}
