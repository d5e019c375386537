import type { Window } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { listArgument, wholeArgument } from "../call-input.ts";
import { isObjectValue } from "./values.ts";

/** The file from its first line to its last. */
export const WHOLE_FILE: Window = { start: 1, end: null, part: null };

/** Arguments of a range that begins at a line and counts lines. */
export interface CountedRange {
  readonly offset: string;
  readonly limit: string;
  /** Number that the tool gives to the first line. */
  readonly firstLine: 0 | 1;
  /** Lines without a stated limit; null: to the end of the file, or nobody knows. */
  readonly limitDefault: number | null;
}

/** The window that an offset and a limit ask for. What is absent or no number of lines is the tool's default. */
export function countedWindow(input: JsonValue, range: CountedRange): Window {
  const offset = wholeArgument(input, range.offset);
  const stated = wholeArgument(input, range.limit);
  const start = Math.max(1, (offset ?? range.firstLine) + 1 - range.firstLine);
  const limit = stated !== null && stated > 0 ? stated : range.limitDefault;
  return { start, end: limit === null ? null : start + limit - 1, part: null };
}

/** The window from one line to another, both 1-based and shown; an end that is absent or below the start is the last line. */
export function inclusiveWindow(start: number | null, end: number | null): Window {
  const first = Math.max(1, start ?? 1);
  return { start: first, end: end !== null && end >= first ? end : null, part: null };
}

/** The window of a pair such as `view_range`: `[a, b]`, 1-based and both shown; `-1` is the last line. */
export function pairWindow(input: JsonValue, name: string): Window {
  const [start, end] = listArgument(input, name).map((value) => (Number.isSafeInteger(value) ? Number(value) : null));
  return inclusiveWindow(start ?? null, end ?? null);
}

/** A part of a file that equals only itself: how it lies to the lines is not known. */
export function partWindow(part: string): Window {
  return { start: 1, end: null, part };
}

/** The arguments that are there among the named ones, written the same for the same values. */
export function partOf(input: JsonValue, names: readonly string[]): string | null {
  if (!isObjectValue(input)) return null;
  const given = names.filter((name) => Object.hasOwn(input, name) && input[name] !== null);
  return given.length === 0 ? null : given.map((name) => `${name} ${JSON.stringify(input[name])}`).join(" ");
}
