import type { Decision } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { ReadMemo, Wire, WireSource } from "../model/ports.ts";
import { blockFault, type Meant } from "./self-check-blocks.ts";

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
  return readBack({ wire, slices, before, memo }, markersOf(inForce));
}

/** What decisions in force mean to stand in the place of their items. */
export function markersOf(inForce: readonly Decision[]): Meant {
  return { kind: "markers", markers: new Map(inForce.map(({ itemKey, marker }) => [itemKey, marker])) };
}

export interface Written {
  readonly wire: Wire;
  readonly slices: readonly Uint8Array[];
  /** The body that came. */
  readonly before: WireSource;
  readonly memo: ReadMemo;
}

/** Like `checkWritten`, for whatever was meant. */
export function readBack({ wire, slices, before, memo }: Written, meant: Meant): string | null {
  const read = wire.read(Buffer.concat(slices), memo);
  if (!read.ok) return `the written body cannot be read: ${read.words}`;
  const after = read.source.transcript;
  const { transcript } = before;
  if (after.header.cacheKey !== transcript.header.cacheKey) return "tools, system or parameters differ";
  const ends = { before: 0, after: 0 };
  while (ends.before < transcript.items.length) {
    const own = blockFrom(transcript.items, ends.before);
    const other = blockFrom(after.items, ends.after);
    const fault = blockFault({ items: own, source: before }, { items: other, source: read.source }, meant);
    if (fault !== null) return `item ${ends.before} (${own[0]?.kind}) ${fault}`;
    ends.before += own.length;
    ends.after += other.length;
  }
  return ends.after === after.items.length ? null : "the count of items differs";
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
