import { labelText } from "../engine/marker.ts";
import type { SelectedLine, Selection } from "../engine/selection.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { SizeBound } from "../model/view.ts";

export interface AnswerInput {
  readonly item: ItemRecord;
  /** The whole original. */
  readonly text: string;
  /** Its lines, numbered; all of them, and those asked for. */
  readonly allLines: readonly SelectedLine[];
  readonly lines: readonly SelectedLine[];
  /** The lines print their own numbers. */
  readonly isNumbered: boolean;
  readonly selection: Selection;
  readonly pattern: string | null;
  readonly bound: SizeBound;
}

/** What fits under the bound, and the ranges that name the rest. */
interface Shown {
  readonly text: string;
  readonly count: number;
  readonly rest: readonly string[];
}

/**
 * Label and address, what was asked and what is shown, a blank line, the text. Whole lines up to the bound, a line over
 * the bound in parts; what is left is named by the ranges that continue. With a pattern each line carries its number.
 */
export function renderAnswer(input: AnswerInput): string {
  const shown = withinBound(input);
  const head = `[ebb ${input.item.address}] ${labelText(input.item.label)}`;
  const asked = `${askedText(input)} of ${totalText(input)}, ${countCodePoints(input.text)} characters`;
  const rest = shown.rest.length === 0 ? "complete" : `continue with range=${shown.rest.join(", then range=")}`;
  const noun = input.lines.length === 0 ? " lines" : "";
  return `${head}\n${asked}; ${shown.count}${noun} shown, ${rest}\n\n${shown.text}`;
}

function withinBound(input: AnswerInput): Shown {
  const { lines, bound, selection } = input;
  const end = selection.to ?? "";
  let bytes = 0;
  let text = "";
  for (const [index, line] of lines.entries()) {
    const piece = pieceOf(input, line);
    bytes += Buffer.byteLength(piece);
    if (index < bound.lines && bytes <= bound.bytes) {
      text += piece;
      continue;
    }
    if (index > 0) return { text, count: index, rest: [`${line.number}-${end}`] };
    const cut = cutToBytes(piece, bound.bytes);
    const next = lines[1];
    const behind = selection.chars === null && next !== undefined ? [`${next.number}-${end}`] : [];
    return { text: cut, count: 1, rest: [restOfLine(input, line, cut), ...behind] };
  }
  return { text, count: lines.length, rest: [] };
}

function restOfLine(input: AnswerInput, line: SelectedLine, cut: string): string {
  const { chars } = input.selection;
  const shown = countCodePoints(cut) - countCodePoints(prefixOf(input, line));
  return `${line.number}@${(chars?.from ?? 1) + shown}-${chars?.to ?? ""}`;
}

function pieceOf(input: AnswerInput, line: SelectedLine): string {
  const whole = input.text.slice(line.start, line.end);
  const { chars } = input.selection;
  if (chars === null) return `${prefixOf(input, line)}${whole}`;
  const slice = Array.from(whole).slice(chars.from - 1, chars.to ?? undefined);
  return `${prefixOf(input, line)}${slice.join("")}`;
}

function prefixOf({ pattern, isNumbered }: AnswerInput, line: SelectedLine): string {
  return pattern === null || isNumbered ? "" : `${line.number}: `;
}

/** The longest head of at most `bytesMax` bytes, never less than one character. */
function cutToBytes(text: string, bytesMax: number): string {
  let bytes = 0;
  let end = 0;
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > bytesMax && end > 0) break;
    end += char.length;
  }
  return text.slice(0, end);
}

function askedText({ selection, pattern }: AnswerInput): string {
  const to = selection.to === null ? "end" : String(selection.to);
  const lines = selection.from === 1 && selection.to === null ? "all lines" : `lines ${selection.from} to ${to}`;
  const slice =
    selection.chars === null ? "" : `, characters ${selection.chars.from} to ${selection.chars.to ?? "end"}`;
  return `${lines}${slice}${pattern === null ? "" : ` matching ${JSON.stringify(pattern)}`}`;
}

/** How many lines there are, and which of the file they are where they are not its first. */
function totalText({ allLines }: AnswerInput): string {
  const first = allLines[0]?.number ?? 1;
  const window = first === 1 ? "" : ` (from line ${first} of the file)`;
  return `${allLines.length} lines${window}`;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
