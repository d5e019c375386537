import type { Acquisition, LineRange, ReadEvidence, Window } from "../model/acquisition.ts";

/** A nearer read that covers is found within this many looks; beyond, nothing is claimed. */
const LOOKS_MAX = 64;

/** Lines a read put into the window. A result that does not number its lines printed what it asked for. */
export function linesOf({ printed, window }: Acquisition): LineRange {
  return printed ?? { start: window?.start ?? 1, end: window?.end ?? Number.POSITIVE_INFINITY };
}

/** Equal for windows that ask for the same part of a file. */
export function windowKey(window: Window | null): string {
  return window === null ? "" : `${window.start} ${window.end} ${window.part ?? ""}`;
}

/** Later reads of one window, met from the last to the first. */
export interface LaterReads {
  add(lines: LineRange, evidence: ReadEvidence): void;
  /** The nearest of them that printed every one of the lines; null when none did. */
  find(lines: LineRange): ReadEvidence | null;
}

/** A stack, the nearest read on top; what a nearer read covers is never asked again. */
export function createLaterReads(): LaterReads {
  const stack: { readonly lines: LineRange; readonly evidence: ReadEvidence }[] = [];
  return {
    add(lines, evidence) {
      while (stack.length > 0 && covers(lines, stack.at(-1)?.lines ?? lines)) stack.pop();
      stack.push({ lines, evidence });
    },
    find(lines) {
      for (let index = stack.length - 1; index >= Math.max(0, stack.length - LOOKS_MAX); index--) {
        const later = stack[index];
        if (later !== undefined && covers(later.lines, lines)) return later.evidence;
      }
      return null;
    },
  };
}

/** Ranges of lines, and whether one of them covers another range. */
export interface LineCover {
  add(lines: LineRange): void;
  has(lines: LineRange): boolean;
}

/** Keeps the ranges of which none lies inside another: starts and ends both ascend, so one look answers. */
export function createLineCover(): LineCover {
  const ranges: LineRange[] = [];
  const has = (lines: LineRange): boolean => {
    const before = ranges[countUpTo(ranges, lines.start) - 1];
    return before !== undefined && covers(before, lines);
  };
  return {
    has,
    add(lines) {
      if (isEmpty(lines) || has(lines)) return;
      const from = countUpTo(ranges, lines.start - 1);
      let to = from;
      for (let next = ranges[to]; next !== undefined && next.end <= lines.end; next = ranges[to]) to++;
      ranges.splice(from, to - from, lines);
    },
  };
}

/** True when `outer` has every line of `inner`. */
function covers(outer: LineRange, inner: LineRange): boolean {
  return isEmpty(inner) || (outer.start <= inner.start && outer.end >= inner.end);
}

function isEmpty({ start, end }: LineRange): boolean {
  return end < start;
}

/** How many of the ranges, sorted by start, begin at or before the line. */
function countUpTo(ranges: readonly LineRange[], line: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.start ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}
