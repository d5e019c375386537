import type { LineRange, Window } from "../model/acquisition.ts";
import { noLines } from "./line-window.ts";

/** The notice of a cut result stands at its very end. */
const TAIL_CHARS = 300;
const SHOWING = /\n\n\[Showing lines (\d+)-(\d+) of \d+[^\]\n]*\]\s*$/;
const CONTINUE =
  /\n\n(?:\[\d+ more lines in file\. Use offset=(\d+) to continue\.\]|\.\.\. \(\d+ more lines not shown\. Use offset=(\d+) to continue reading\))\s*$/;
const TOO_LONG = /^\[Line \d+ is [^\]\n]*exceeds [^\n]*\]$/;

/**
 * Lines of a result that says it was cut; null for one that says nothing, which printed its window. Never more lines
 * than the text has.
 */
export function printedLines(text: string, window: Window): LineRange | null {
  if (TOO_LONG.test(text)) return noLines(window);
  const tail = text.slice(-TAIL_CHARS);
  const end = endOf(tail);
  if (end === null) return null;
  const last = window.start + lineCount(text) - 1;
  return { start: window.start, end: Math.min(end, last) };
}

function endOf(tail: string): number | null {
  const [, , shown] = SHOWING.exec(tail) ?? [];
  if (shown !== undefined) return Number(shown);
  const [, next, nextOld] = CONTINUE.exec(tail) ?? [];
  const offset = next ?? nextOld;
  return offset === undefined ? null : Number(offset) - 1;
}

/** Lines before the notice and the empty line above it. */
function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return Math.max(0, count - 2);
}
