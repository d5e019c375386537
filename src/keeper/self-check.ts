import type { Decision } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { ReadMemo, Wire, WireSource } from "../model/ports.ts";

/**
 * Reads a written body back and compares it with what was meant: every item in its place, unchanged but for the
 * replaced ones. Words name the first difference; null when the body is sound.
 */
export function checkWritten(
  wire: Wire,
  slices: readonly Uint8Array[],
  before: WireSource,
  inForce: readonly Decision[],
  memo: ReadMemo,
): string | null {
  const read = wire.read(Buffer.concat(slices), memo);
  if (!read.ok) return `the written body cannot be read: ${read.words}`;
  const after = read.source.transcript;
  const { transcript } = before;
  if (after.header.cacheKey !== transcript.header.cacheKey) return "tools, system or parameters differ";
  if (after.items.length !== transcript.items.length) return "the count of items differs";
  const replaced = new Map(inForce.map((decision) => [decision.itemKey, decision.marker]));
  for (const [index, item] of transcript.items.entries()) {
    const written = after.items[index];
    const difference = written === undefined ? "is missing" : differenceOf(item, written, replaced, read.source);
    if (difference !== null) return `item ${index} (${item.kind}) ${difference}`;
  }
  return null;
}

function differenceOf(
  item: Item,
  written: Item,
  replaced: ReadonlyMap<string, string>,
  source: WireSource,
): string | null {
  if (written.messageIndex !== item.messageIndex || written.blockIndex !== item.blockIndex) return "moved";
  if (written.kind !== item.kind) return "changed its kind";
  const marker = replaced.get(item.key);
  if (marker === undefined) return written.digest === item.digest ? null : "differs from what came";
  if (item.kind !== "result" || written.kind !== "result") return "is not one that can be replaced";
  if (written.callId !== item.callId || written.isError !== item.isError) return "lost its call";
  return source.textOf(written) === marker ? null : "does not hold its marker";
}
