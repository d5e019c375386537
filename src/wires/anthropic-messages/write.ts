import { assert } from "../../lib/assert.ts";
import type { Span } from "../../lib/json-scan.ts";
import type { Script } from "../../model/edit.ts";
import type { ItemKey } from "../../model/item.ts";
import type { WireSource } from "../../model/ports.ts";
import type { Slot } from "./seed.ts";
import { isAnthropicSource } from "./source.ts";

/** Bytes of the body that give way to other bytes. */
interface Splice extends Span {
  readonly bytes: Uint8Array | null;
}

/**
 * The body with the script's texts spliced in. The slices between them are the body's own memory. Skips edits of items
 * that are not in the body or can take no text, and refuses empty texts, which the API rejects for good. Of several
 * edits of one item the last counts.
 */
export function writeBody(body: Uint8Array, source: WireSource, script: Script): readonly Uint8Array[] {
  assert(isAnthropicSource(source), "a body is written with the source that was read from it");
  const texts = new Map<ItemKey, string>();
  for (const edit of script) if (edit.kind === "replace" && edit.text !== "") texts.set(edit.itemKey, edit.text);
  const splices: Splice[] = [];
  for (const [key, text] of texts) {
    const place = source.slotOf(key);
    if (place === null) continue;
    for (const one of splicesOf(place.slot, text)) splices.push({ ...one, ...shift(one, place.messageStart) });
  }
  return splice(
    body,
    splices.sort((one, other) => one.start - other.start),
  );
}

/** The value of a breakpoint stays as the client wrote it: a text block is put around it. */
function splicesOf(slot: Slot, text: string): readonly Splice[] {
  const written = JSON.stringify(text);
  if (slot.kind === "text") {
    const cuts = slot.cuts.map((cut) => ({ ...cut, bytes: null }));
    return [{ ...slot.text, bytes: Buffer.from(written) }, ...cuts];
  }
  const { block, breakpoint } = slot;
  const head = `{"type":"text","text":${written}`;
  if (breakpoint === null) return [{ ...block, bytes: Buffer.from(`${head}}`) }];
  return [
    { start: block.start, end: breakpoint.start, bytes: Buffer.from(`${head},"cache_control":`) },
    { start: breakpoint.end, end: block.end, bytes: Buffer.from("}") },
  ];
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
