import type { LineRange, Window } from "../model/acquisition.ts";

/** Lines from a 1-based `offset`, `limit` of them. An absent or non-positive offset is the first line. */
export function lineWindow(offset: number | null, limit: number | null, limitDefault: number): Window {
  const start = Math.max(1, offset ?? 1);
  const count = limit !== null && limit > 0 ? limit : limitDefault;
  return { start, end: start + count - 1, part: null };
}

/** A range without lines: the result was a real answer that printed nothing of the file. */
export function noLines(window: Window): LineRange {
  return { start: window.start, end: window.start - 1 };
}
