import type { LineRange } from "../../model/acquisition.ts";

const SPACE = 0x20;
const TAB = 0x09;
const ZERO = 0x30;
const NINE = 0x39;
const DIGITS_MAX = 9;

/** How a result numbers the lines it prints: `prefix`, the number, `separator`, the line. */
export interface RowForm {
  /** Stands in front of the number, behind any spaces and tabs. */
  readonly prefix: string;
  readonly separator: string;
  /** A line too long for one row goes on in rows `N.1`, `N.2`, …, which belong to it. */
  readonly hasContinuations?: boolean;
}

/**
 * Range of the lines whose numbers follow one another from `start` on. Text behind the first line that breaks the row is not
 * part of it. Null when the first line has no number.
 */
export function rowRange(text: string, start: number, form: RowForm): LineRange | null {
  const first = numberAt(text, start, form);
  if (first === null) return null;
  let last = first;
  let at = text.indexOf("\n", start) + 1;
  while (at > 0) {
    if (numberAt(text, at, form) === last + 1) last++;
    else if (form.hasContinuations !== true || !continues(text, at, last)) break;
    at = text.indexOf("\n", at) + 1;
  }
  return { start: first, end: last };
}

/** Where the first numbered row begins among the first lines of a text; null when there is none. */
export function firstRow(text: string, form: RowForm, linesMax: number): number | null {
  let at = 0;
  for (let line = 0; line < linesMax; line++) {
    if (numberAt(text, at, form) !== null) return at;
    const end = text.indexOf("\n", at);
    if (end === -1) return null;
    at = end + 1;
  }
  return null;
}

/** The text up to the last whole line in front of words that say something was left out; all of it where they do not stand in it. */
export function beforeCut(text: string, words: string): string {
  const cut = text.indexOf(words);
  return cut === -1 ? text : text.slice(0, Math.max(0, text.lastIndexOf("\n", cut - 1)));
}

function numberAt(text: string, start: number, { prefix, separator }: RowForm): number | null {
  const from = afterBlanks(text, start);
  if (!text.startsWith(prefix, from)) return null;
  const digits = from + prefix.length;
  let at = digits;
  let number = 0;
  for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE && at - digits < DIGITS_MAX; ) {
    number = number * 10 + code - ZERO;
    code = text.charCodeAt(++at);
  }
  if (at === digits) return null;
  return text.startsWith(separator, at) || endsEmpty(text, at, separator) ? number : null;
}

/** An empty line whose separator lost its trailing white space; one of white space alone is missed at the end of the text only. */
function endsEmpty(text: string, at: number, separator: string): boolean {
  const bare = separator.trimEnd();
  return bare === "" ? at >= text.length : text.startsWith(bare, at) && isLineEnd(text, at + bare.length);
}

function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === "\n" || text.startsWith("\r\n", at);
}

function continues(text: string, start: number, line: number): boolean {
  return text.startsWith(`${line}.`, afterBlanks(text, start));
}

function afterBlanks(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) at++;
  return at;
}
