import { labelText } from "../engine/marker.ts";
import type { SelectedLine, Selection } from "../engine/selection.ts";
import { lineEnds } from "../lib/lines.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { SizeBound } from "../model/view.ts";

export interface AnswerInput {
  readonly item: ItemRecord;
  /** The whole original. */
  readonly text: string;
  readonly lines: readonly SelectedLine[];
  readonly selection: Selection;
  readonly pattern: string | null;
  readonly bound: SizeBound;
}

/**
 * Label and address, what was asked and what is shown, a blank line, the text. Whole lines up to the bound; what is
 * left is named by the range that continues. With a pattern each line carries its number.
 */
export function renderAnswer(input: AnswerInput): string {
  const shown = withinBound(input);
  const total = lineEnds(input.text).length;
  const head = `[ebb ${input.item.address}] ${labelText(input.item.label)}`;
  const asked = `${askedText(input)} of ${total} lines, ${countCodePoints(input.text)} characters`;
  return `${head}\n${asked}; ${restText(input, shown.lines)}\n\n${shown.text}`;
}

function withinBound(input: AnswerInput): { readonly lines: readonly SelectedLine[]; readonly text: string } {
  const lines: SelectedLine[] = [];
  let bytes = 0;
  let text = "";
  for (const line of input.lines) {
    const piece = pieceOf(input, line);
    bytes += Buffer.byteLength(piece);
    const isOver = lines.length >= input.bound.lines || bytes > input.bound.bytes;
    if (isOver && lines.length > 0) break;
    lines.push(line);
    text += piece;
  }
  return { lines, text };
}

function pieceOf(input: AnswerInput, line: SelectedLine): string {
  const whole = input.text.slice(line.start, line.end);
  if (input.pattern !== null) return `${line.number}: ${whole}`;
  const { chars } = input.selection;
  if (chars === null) return whole;
  return Array.from(whole)
    .slice(chars.from - 1, chars.to ?? undefined)
    .join("");
}

function askedText({ selection, pattern }: AnswerInput): string {
  const to = selection.to === null ? "end" : String(selection.to);
  const lines = selection.from === 1 && selection.to === null ? "all lines" : `lines ${selection.from} to ${to}`;
  const slice =
    selection.chars === null ? "" : `, characters ${selection.chars.from} to ${selection.chars.to ?? "end"}`;
  return `${lines}${slice}${pattern === null ? "" : ` matching ${JSON.stringify(pattern)}`}`;
}

function restText(input: AnswerInput, shown: readonly SelectedLine[]): string {
  if (input.lines.length === 0) return "0 lines shown, complete";
  const next = input.lines[shown.length];
  if (next === undefined) return `${shown.length} shown, complete`;
  return `${shown.length} shown, continue with range=${next.number}-${input.selection.to ?? ""}`;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
