import type { Selection } from "../engine/selection.ts";
import { type Piece, type Taken, takePieces } from "../engine/selection-cut.ts";
import { measureLines, type NumberedText } from "../engine/selection-lines.ts";
import type { SizeBound } from "../model/view.ts";
import { type Pattern, type Search, searchPieces } from "./recall-search.ts";

export interface AnswerInput {
  /** The answer's first line: what it is and its address. */
  readonly title: string;
  /** What is known beside the text, in words; null for nothing. */
  readonly note: string | null;
  readonly text: NumberedText;
  readonly selection: Selection;
  /** As it was asked, and as it is tested. */
  readonly pattern: { readonly source: string; readonly compiled: Pattern } | null;
  readonly bound: SizeBound;
  /** Most code points of text; null: the bound alone caps them. */
  readonly chars: number | null;
  /** Most steps that a search takes. */
  readonly stepsMax: number;
}

/** An answer's text, or that a whole search found nothing. */
export type Rendered =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "nothing"; readonly searched: number };

/**
 * Title, what was asked and what is shown, a blank line, the text. Whole lines up to the caps, a line over them in
 * parts; what is left is named by the ranges that continue, so that a walk along them rebuilds every byte.
 */
export function renderAnswer(input: AnswerInput): Rendered {
  const { text, selection, pattern, bound, chars } = input;
  const search = searchPieces(text, selection, pattern?.compiled ?? null, input.stepsMax);
  const taken = takePieces(text.text, search.pieces, { ...bound, chars: chars ?? Number.POSITIVE_INFINITY });
  if (taken.count === 0 && search.seen > 0 && search.untestedCount === 0 && search.stoppedAt === null) {
    return { kind: "nothing", searched: search.seen };
  }
  const head = [input.title, `${askedText(input)} of ${totalText(text)}; ${stateText(input, taken, search)}`];
  if (input.note !== null) head.push(input.note);
  return { kind: "text", text: `${head.join("\n")}\n\n${taken.text}` };
}

function stateText({ selection }: AnswerInput, taken: Taken, search: Search): string {
  const rest = restOf(selection, taken, search);
  const parts = [shownText(selection, taken)];
  if (search.untestedCount > 0) parts.push(untestedText(search));
  if (taken.next === null && search.stoppedAt !== null) parts.push(`searched up to line ${search.stoppedAt - 1}`);
  if (rest.length > 0) parts.push(`continue with range=${rest.join(", then range=")}`);
  else if (search.untestedCount === 0) parts.push("complete");
  return parts.join(", ");
}

function shownText({ chars }: Selection, { count, cut, text }: Taken): string {
  if (count === 0) return "0 lines shown";
  if (cut !== null)
    return `characters ${cut.piece.charFrom} to ${cut.piece.charFrom + cut.chars - 1} of line ${cut.piece.number} shown`;
  if (chars !== null) return text === "" ? "0 characters shown" : "these characters shown";
  return `${count} shown`;
}

/** Ranges that continue, in their order. */
function restOf({ to, chars }: Selection, { cut, next }: Taken, { stoppedAt }: Search): readonly string[] {
  const rest = cut === null ? [] : [restOfLine(cut.piece, cut.chars, chars?.to ?? null)];
  const from = next?.number ?? stoppedAt;
  return from === null || chars !== null ? rest : [...rest, `${from}-${to ?? ""}`];
}

function restOfLine({ number, charFrom }: Piece, shown: number, to: number | null): string {
  return `${number}@${charFrom + shown}-${to ?? ""}`;
}

function untestedText({ untested, untestedCount }: Search): string {
  const more = untestedCount - untested.length;
  const lines = `${untestedCount === 1 ? "line" : "lines"} ${untested.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${lines} not searched (too long for this pattern)`;
}

function askedText({ selection, pattern }: AnswerInput): string {
  const { from, to, chars } = selection;
  const slice = chars === null ? "" : `, characters ${chars.from} to ${chars.to ?? "end"}`;
  const lines = from === 1 && to === null ? "all lines" : `lines ${from} to ${to ?? "end"}`;
  return `${lines}${slice}${pattern === null ? "" : ` matching ${JSON.stringify(pattern.source)}`}`;
}

/** How much there is, and which of the file's lines they are where they are not its first. */
function totalText(text: NumberedText): string {
  const { lines, chars } = measureLines(text);
  const window = text.firstNumber === 1 ? "" : ` (from line ${text.firstNumber} of the file)`;
  return `${lines} lines${window}, ${chars} characters`;
}
