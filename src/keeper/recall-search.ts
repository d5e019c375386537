import type { Selection } from "../engine/selection.ts";
import type { Piece } from "../engine/selection-cut.ts";
import { sliceLine } from "../engine/selection-cut.ts";
import { linesIn, type NumberedLine, type NumberedText, withoutNumber } from "../engine/selection-lines.ts";
import type { CompiledPattern } from "../model/ports.ts";

export type Pattern = Extract<CompiledPattern, { readonly ok: true }>;

/** The pieces of a text that were asked for, found one by one, and what is known once they were looked at. */
export interface Search {
  readonly pieces: IterableIterator<Piece>;
  /** Lines that were not tested, because the pattern's steps for one of them are more than one answer takes; bounded. */
  readonly untested: readonly number[];
  readonly untestedCount: number;
  /** The line at which the steps of one answer were used up; null where they were not. */
  readonly stoppedAt: number | null;
  /** Lines that the range selects, as far as they were looked at. */
  readonly seen: number;
  readonly steps: number;
}

/** Most steps that one answer takes to search: characters, each as many times as its pattern may need for one. */
export const SEARCH_STEPS_MAX = 20_000_000;

/** A match of a line costs something, however short the line is. */
const LINE_CHARS_MIN = 20;
const UNTESTED_LISTED_MAX = 5;

/** Lines of the selection that match, or all of them; with `chars`, that part of the line. Nothing is looked at before it is asked for. */
export function searchPieces(
  text: NumberedText,
  selection: Selection,
  pattern: Pattern | null,
  stepsMax: number,
): Search {
  const progress: Progress = { untested: [], untestedCount: 0, stoppedAt: null, seen: 0, steps: 0 };
  function* find(): Generator<Piece> {
    for (const line of linesIn(text, selection)) {
      const admission = pattern === null ? "taken" : admit(line, pattern, progress, stepsMax);
      if (admission === "stop") return;
      if (admission === "skip") continue;
      progress.seen++;
      const isFound = pattern === null || pattern.test(contentOf(text, line));
      if (isFound) yield pieceOf(text, line, selection, pattern !== null);
    }
  }
  return Object.assign(progress, { pieces: find() });
}

interface Progress {
  readonly untested: number[];
  untestedCount: number;
  stoppedAt: number | null;
  seen: number;
  steps: number;
}

/** Takes the steps that a line may cost; leaves out a line that costs more than one answer has, stops before one that passes them. */
function admit(line: NumberedLine, pattern: Pattern, progress: Progress, stepsMax: number): "taken" | "skip" | "stop" {
  const cost = (line.end - line.start + LINE_CHARS_MIN) * pattern.steps;
  if (cost > stepsMax) {
    progress.untestedCount++;
    if (progress.untested.length < UNTESTED_LISTED_MAX) progress.untested.push(line.number);
    return "skip";
  }
  if (progress.steps + cost > stepsMax) {
    progress.stoppedAt = line.number;
    return "stop";
  }
  progress.steps += cost;
  return "taken";
}

/** A line as the file has it: without its line end and without a number printed before it. */
function contentOf({ text, isNumbered }: NumberedText, { start, end }: NumberedLine): string {
  const line = text.slice(start, end).replace(/\r?\n$/, "");
  return isNumbered ? withoutNumber(line) : line;
}

function pieceOf(numbered: NumberedText, line: NumberedLine, { chars }: Selection, isSearch: boolean): Piece {
  const span = chars === null ? line : sliceLine(numbered.text, line, chars);
  return {
    number: line.number,
    start: span.start,
    end: span.end,
    charFrom: chars?.from ?? 1,
    prefix: isSearch && !numbered.isNumbered ? `${line.number}: ` : "",
  };
}
