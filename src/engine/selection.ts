import { lineEnds } from "../lib/lines.ts";

/** Lines `from`..`to`, 1-based inclusive; `to` null is to the end; with `chars`, a slice of that one line. */
export interface Selection {
  readonly from: number;
  readonly to: number | null;
  /** Unicode code points of the line, 1-based inclusive. */
  readonly chars: { readonly from: number; readonly to: number | null } | null;
}

export type RangeOutcome =
  | { readonly ok: true; readonly selection: Selection }
  | { readonly ok: false; readonly words: string };

/** What a range may be, for people who typed another thing. */
export const RANGE_FORMS =
  'legal ranges: "A-B", "A-" (to the end), "-B" (from the start to B), "N", "N@C-D" (characters C to D of line N), "all"';

/** Reads a range as it was typed. Nothing is clamped: what is not a legal form is refused with the legal ones. */
export function parseRange(range: string | null): RangeOutcome {
  const text = range === null ? "" : range.trim();
  if (text === "" || text === "0" || text === "all") return { ok: true, selection: { from: 1, to: null, chars: null } };
  const slice = /^(\d+)@(.*)$/.exec(text);
  if (slice?.[1] !== undefined && slice[2] !== undefined) return parseSlice(text, slice[1], slice[2]);
  const bounds = parseBounds(text);
  if (bounds === null) return refused(text);
  return { ok: true, selection: { ...bounds, chars: null } };
}

/** One line of a text, its number and its place. */
export interface SelectedLine {
  readonly number: number;
  readonly start: number;
  /** Exclusive; includes the LF. */
  readonly end: number;
}

/** Every line of `text`, numbered from 1. */
export function textLines(text: string): readonly SelectedLine[] {
  const ends = lineEnds(text);
  return ends.map((end, index) => ({ number: index + 1, start: ends[index - 1] ?? 0, end }));
}

/**
 * Every line of a result that prints its lines' own numbers, numbered as the file numbers them. What stands before the
 * first numbered line belongs to it, what follows the last counts on; null when the text has no line `first`.
 */
export function fileLines(text: string, first: number): readonly SelectedLine[] | null {
  const lines = textLines(text);
  const at = lines.findIndex(({ start, end }) => numberPrinted(text.slice(start, Math.min(end, start + 24))) === first);
  if (at === -1) return null;
  return lines.slice(at).map(({ start, end }, index) => ({
    number: first + index,
    start: index === 0 ? 0 : start,
    end,
  }));
}

/** A printed line without the number before it. */
export function withoutNumber(line: string): string {
  return line.replace(PRINTED_NUMBER, "");
}

/** The lines a selection covers. `A` past the end gives none; `B` past the end is fine. */
export function selectLines(lines: readonly SelectedLine[], { from, to }: Selection): readonly SelectedLine[] {
  return lines.filter(({ number }) => number >= from && (to === null || number <= to));
}

const PRINTED_NUMBER = /^ *(\d+)(?:\u2192|\t|:)/;

function numberPrinted(line: string): number | null {
  const digits = PRINTED_NUMBER.exec(line)?.[1];
  return digits === undefined ? null : Number(digits);
}

function parseSlice(text: string, line: string, chars: string): RangeOutcome {
  const number = parseNumber(line);
  const bounds = parseBounds(chars.trim());
  if (number === null || bounds === null) return refused(text);
  return { ok: true, selection: { from: number, to: number, chars: bounds } };
}

function parseBounds(text: string): { readonly from: number; readonly to: number | null } | null {
  const match = /^(\d*)\s*(-?)\s*(\d*)$/.exec(text);
  if (match === null) return null;
  const [, left = "", dash = "", right = ""] = match;
  if (dash === "") {
    const only = right === "" ? parseNumber(left) : null;
    return only === null ? null : { from: only, to: only };
  }
  if (left === "" && right === "") return null;
  const from = left === "" ? 1 : parseNumber(left);
  const to = right === "" ? null : parseNumber(right);
  if (from === null || (right !== "" && to === null)) return null;
  return to !== null && to < from ? null : { from, to };
}

function parseNumber(text: string): number | null {
  if (!/^\d{1,15}$/.test(text)) return null;
  const value = Number(text);
  return value >= 1 ? value : null;
}

function refused(text: string): RangeOutcome {
  return { ok: false, words: `range "${text.slice(0, 80)}" is not legal; ${RANGE_FORMS}` };
}
