import type { LineRange } from "../model/acquisition.ts";

const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;
const DIGITS_MAX = 12;
/** What stands between a number and its line in most results. */
const SEPARATORS = ["\u2192", "\t", ":"];

/**
 * Range of the lines numbered one after the other from `start` on (`     7→text`, `7<TAB>text`). Text behind the first
 * line that breaks the row is not part of it. Null when the first line has no number.
 */
export function numberedRange(
  text: string,
  start: number,
  separators: readonly string[] = SEPARATORS,
): LineRange | null {
  const first = numberAt(text, start, separators);
  if (first === null) return null;
  let last = first;
  let at = text.indexOf("\n", start) + 1;
  while (at > 0 && numberAt(text, at, separators) === last + 1) {
    last++;
    at = text.indexOf("\n", at) + 1;
  }
  return { start: first, end: last };
}

function numberAt(text: string, start: number, separators: readonly string[]): number | null {
  let at = start;
  while (at - start < DIGITS_MAX && text.charCodeAt(at) === SPACE) at++;
  const digits = at;
  let number = 0;
  for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE && at - digits < DIGITS_MAX; ) {
    number = number * 10 + code - ZERO;
    code = text.charCodeAt(++at);
  }
  return at > digits && separators.some((separator) => text.startsWith(separator, at)) ? number : null;
}
