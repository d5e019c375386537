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
  'legal ranges: "A-B", "A-" (to the end), "-B" (from the start to B), "N", "N@C-D" (characters C to D of line N), "all"; whole numbers from 1 of at most 15 digits';

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

/** True for every way to ask for the whole. */
export function isWhole(range: string | null): boolean {
  const parsed = parseRange(range);
  return parsed.ok && parsed.selection.from === 1 && parsed.selection.to === null && parsed.selection.chars === null;
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
