import type { Edit } from "../model/edit.ts";
import type { Item } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import type { Breakpoint, Transcript } from "../model/transcript.ts";
import { itemsOf } from "./self-check-additions.ts";

/** Where blocks of the body that came ended up. */
export interface PlacesNow {
  /** By items of the written body up to a block, or up to what was put in behind it: those of the body that came. */
  readonly origins: ReadonlyMap<number, number>;
  /** Ends of blocks that gave way, and with them perhaps a breakpoint. */
  readonly changed: ReadonlySet<number>;
}

/** Lifetimes that a breakpoint of Ebb's can ask for, in milliseconds. */
const LIFETIMES: ReadonlySet<number> = new Set([300_000, 3_600_000]);

/** The breakpoints that edits mean to put in, one for each block; in no order. */
export function statedBreakpoints(before: WireSource, edits: readonly Edit[]): readonly Breakpoint[] {
  const marks = edits.filter((edit) => edit.kind === "breakpoint" && LIFETIMES.has(edit.ttlMs));
  if (marks.length === 0) return [];
  const { transcript } = before;
  const items = itemsOf(transcript, marks);
  const byEnd = new Map<number, number>();
  for (const edit of marks) {
    const item = edit.kind === "breakpoint" ? items.get(edit.itemKey) : undefined;
    if (item === undefined || edit.kind !== "breakpoint" || !before.canMark(item)) continue;
    byEnd.set(endOfBlock(transcript, item), edit.ttlMs);
  }
  return Array.from(byEnd, ([itemCount, ttlMs]) => ({ itemCount, ttlMs }));
}

/** Words for a breakpoint that came, went or moved without an edit; null where each is as it was or as it was meant. */
export function breakpointFault(
  before: WireSource,
  after: Transcript,
  edits: readonly Edit[],
  { origins, changed }: PlacesNow,
): string | null {
  const left = new Map<string, Breakpoint[]>();
  const nameOf = ({ itemCount, ttlMs }: Breakpoint) => `${itemCount} ${ttlMs}`;
  for (const one of [...before.transcript.breakpoints, ...statedBreakpoints(before, edits)]) {
    const same = left.get(nameOf(one));
    if (same === undefined) left.set(nameOf(one), [one]);
    else same.push(one);
  }
  const strange = after.breakpoints.filter(({ itemCount, ttlMs }) => {
    const origin = itemCount === 0 ? 0 : (origins.get(itemCount) ?? -1);
    return left.get(nameOf({ itemCount: origin, ttlMs }))?.pop() === undefined;
  });
  const lost = Array.from(left.values())
    .flat()
    .filter(({ itemCount }) => !changed.has(itemCount));
  const [found, ...others] = strange;
  if (found === undefined) return lost.length === 0 ? null : "a cache breakpoint was lost";
  const [gone, ...more] = lost;
  const isMoved =
    gone !== undefined && others.length + more.length === 0 && isMovedEnd(gone, found, before.transcript, after);
  return isMoved ? null : "a cache breakpoint stands where none should";
}

/** The provider places one breakpoint by itself at the end: behind what was put in there. */
function isMovedEnd(gone: Breakpoint, found: Breakpoint, before: Transcript, after: Transcript): boolean {
  const isEnd = (items: readonly Item[], at: number) => items.slice(at).every(({ kind }) => kind === "thinking");
  return gone.ttlMs === found.ttlMs && isEnd(before.items, gone.itemCount) && isEnd(after.items, found.itemCount);
}

function endOfBlock({ items, messages }: Transcript, { messageIndex, blockIndex }: Item): number {
  const { itemStart, itemEnd } = messages[messageIndex] ?? { itemStart: 0, itemEnd: 0 };
  const last = items.slice(itemStart, itemEnd).findLastIndex((item) => item.blockIndex === blockIndex);
  return itemStart + last + 1;
}
