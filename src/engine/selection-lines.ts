import type { Selection } from "./selection.ts";

/** A text and the numbers of its lines. Nothing is kept for each line: an original may have millions of them. */
export interface NumberedText {
  readonly text: string;
  /** Number of the first line; each later line counts on. */
  readonly firstNumber: number;
  /** Where the first line ends, its LF included. What stands before the first printed number belongs to that line. */
  readonly firstEnd: number;
  /** The lines print these numbers themselves. */
  readonly isNumbered: boolean;
}

/** A part of a text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One line, its number and its place; `end` includes the LF. */
export interface NumberedLine extends Span {
  readonly number: number;
}

/** The lines of a file that a text is known to hold; null where nobody knows them. */
export interface HeldLines {
  readonly lineStart: number | null;
  readonly lineEnd: number | null;
}

/**
 * A text numbered as recall numbers it: as the file does where its lines print the file's numbers, or are the lines it holds and
 * nothing else, but for the words that an agent puts above what a command printed; else from 1.
 */
export function numberLines(text: string, { lineStart, lineEnd }: HeldLines): NumberedText {
  if (lineStart === null) return textLines(text);
  const counted = lineEnd === null ? null : countedLines(text, lineStart, lineEnd - lineStart + 1);
  return fileLines(text, lineStart) ?? counted ?? textLines(text);
}

/** A text whose lines are numbered from 1. */
export function textLines(text: string): NumberedText {
  return { text, firstNumber: 1, firstEnd: lineEnd(text, 0), isNumbered: false };
}

/**
 * A result that prints its lines' own numbers, numbered as the file numbers them. What stands before the first numbered
 * line belongs to it, what follows the last counts on; null when the text does not begin with a line `first`.
 */
export function fileLines(text: string, first: number): NumberedText | null {
  let start = 0;
  for (let preface = 0; preface <= PREFACE_LINES_MAX && start < text.length; preface++) {
    const end = lineEnd(text, start);
    if (numberPrinted(text.slice(start, Math.min(end, start + NUMBER_CHARS_MAX))) === first) {
      return { text, firstNumber: first, firstEnd: end, isNumbered: true };
    }
    start = end;
  }
  return null;
}

/** A result that holds so many lines of the file from `first` on, whole or behind an agent's head. */
function countedLines(text: string, first: number, count: number): NumberedText | null {
  const extra = measureLines(textLines(text)).lines - count;
  if (count < 1 || extra < 0 || extra > HEAD_LINES_MAX) return null;
  let start = 0;
  let last = HEAD_END;
  for (let line = 0; line < extra; line++) {
    const end = lineEnd(text, start);
    last = text.slice(start, end);
    start = end;
  }
  return last === HEAD_END ? { text, firstNumber: first, firstEnd: lineEnd(text, start), isNumbered: false } : null;
}

/** Where the selected lines stand, as one piece; null when they are none. `A` past the end gives none; `B` past it is fine. */
export function spanOf(lines: NumberedText, { from, to }: Selection): Span | null {
  const first = { number: Math.max(from, lines.firstNumber), start: startOf(lines, from, null) };
  const { start } = first;
  const end = to === null ? lines.text.length : startOf(lines, to + 1, first);
  return end > start ? { start, end } : null;
}

/** The selected lines in order. */
export function* linesIn(lines: NumberedText, selection: Selection): Generator<NumberedLine> {
  const span = spanOf(lines, selection);
  if (span === null) return;
  let number = Math.max(selection.from, lines.firstNumber);
  for (let start = span.start; start < span.end; number++) {
    const end = start === 0 ? lines.firstEnd : lineEnd(lines.text, start);
    yield { number, start, end };
    start = end;
  }
}

/** How many lines and code points a text has. */
export function measureLines(lines: NumberedText): { readonly lines: number; readonly chars: number } {
  const { text, firstEnd } = lines;
  let ends = 0;
  let chars = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === LF && index >= firstEnd - 1) ends++;
    if (!isSecondHalf(text, index)) chars++;
  }
  const isOpen = text.length > 0 && text.charCodeAt(text.length - 1) !== LF;
  return { lines: ends + (isOpen ? 1 : 0), chars };
}

/** A printed line without the number before it. */
export function withoutNumber(line: string): string {
  return line.replace(PRINTED_NUMBER, "");
}

/** True inside a pair of surrogates, where no character begins. */
export function isSecondHalf(text: string, index: number): boolean {
  if (index === 0 || (text.charCodeAt(index) & SURROGATE_MASK) !== LOW_SURROGATE) return false;
  return (text.charCodeAt(index - 1) & SURROGATE_MASK) === HIGH_SURROGATE;
}

const LF = 0x0a;
const SURROGATE_MASK = 0xfc00;
const HIGH_SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;
/** Lines that may stand before the first numbered one. */
const PREFACE_LINES_MAX = 1_000;
const NUMBER_CHARS_MAX = 24;
/** Last line of the head that an agent puts above what a command printed, and how many lines such a head has at most. */
const HEAD_END = "Output:\n";
const HEAD_LINES_MAX = 16;
/** As agents print it: `1→`, `1` and a tab, `1:`, `L1:`, `1 |` and `00001|`. */
const PRINTED_NUMBER = /^ *L?(\d+)(?:\u2192|\t|:| ?\|)/;

function numberPrinted(line: string): number | null {
  const digits = PRINTED_NUMBER.exec(line)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Where a line begins; the text's length when it has none of that number. Counted on from a known line before it. */
function startOf(
  { text, firstNumber, firstEnd }: NumberedText,
  number: number,
  known: { readonly number: number; readonly start: number } | null,
): number {
  if (number <= firstNumber) return 0;
  const isFirst = known === null || known.start === 0;
  let start = isFirst ? firstEnd : known.start;
  let left = isFirst ? number - firstNumber - 1 : number - known.number;
  for (; left > 0 && start < text.length; left--) start = lineEnd(text, start);
  return start;
}

function lineEnd(text: string, start: number): number {
  const found = text.indexOf("\n", start);
  return found === -1 ? text.length : found + 1;
}
