import type { Decision } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { ReadMemo, Wire, WireSource } from "../model/ports.ts";

/** What must stand in an item's place; null where it must stand as it came. `isSame` tells whether it does. */
export type TextFor = (item: Item, isSame: boolean) => string | null;

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
  const replaced = new Map(inForce.map((decision) => [decision.itemKey, decision.marker]));
  return readBack({ wire, slices, before, memo }, (item) => replaced.get(item.key) ?? null);
}

export interface Written {
  readonly wire: Wire;
  readonly slices: readonly Uint8Array[];
  /** The body that came. */
  readonly before: WireSource;
  readonly memo: ReadMemo;
}

/** Like `checkWritten`, with the texts that are meant asked for item by item, in order. */
export function readBack({ wire, slices, before, memo }: Written, textFor: TextFor): string | null {
  const read = wire.read(Buffer.concat(slices), memo);
  if (!read.ok) return `the written body cannot be read: ${read.words}`;
  const after = read.source.transcript;
  const { transcript } = before;
  if (after.header.cacheKey !== transcript.header.cacheKey) return "tools, system or parameters differ";
  if (after.items.length !== transcript.items.length) return "the count of items differs";
  for (const [index, item] of transcript.items.entries()) {
    const written = after.items[index];
    const difference = written === undefined ? "is missing" : differenceOf(item, written, textFor, read.source);
    if (difference !== null) return `item ${index} (${item.kind}) ${difference}`;
  }
  return null;
}

function differenceOf(item: Item, written: Item, textFor: TextFor, source: WireSource): string | null {
  if (written.messageIndex !== item.messageIndex || written.blockIndex !== item.blockIndex) return "moved";
  if (written.kind !== item.kind) return "changed its kind";
  const isSame = written.digest === item.digest;
  const text = textFor(item, isSame);
  if (text === null) return isSame ? null : "differs from what came";
  if (item.kind !== "result" || written.kind !== "result") return "is not one that can be replaced";
  if (written.callId !== item.callId || written.isError !== item.isError) return "lost its call";
  return source.textOf(written) === text ? null : "does not hold its marker";
}
