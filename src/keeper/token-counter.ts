import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { TokenCounter } from "../model/ports.ts";

/** Longest run without a natural border that is encoded at once: merging costs the square of its length. */
const RUN_CHARS_MAX = 512;

const LONG_RUN = /[\p{L}\p{M}]{513,}|\s{513,}|[^\s\p{L}\p{N}]{513,}/gu;
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Counts o200k tokens, an estimate for every other model. Equal to the plain encoder, except in runs of over 512
 * letters, spaces or signs without a border, which are counted in parts. Remembers nothing of what it counted.
 */
export function createTokenCounter(): TokenCounter {
  return { count: countText };
}

function countText(text: string): number {
  if (text.length <= RUN_CHARS_MAX) return countTokens(text, PLAIN_TEXT);
  let tokens = 0;
  let start = 0;
  for (const cut of cutsOf(text)) {
    tokens += countTokens(text.slice(start, cut), PLAIN_TEXT);
    start = cut;
  }
  return tokens + countTokens(text.slice(start), PLAIN_TEXT);
}

/** Offsets inside over-long runs, in order; none for ordinary text. Never inside a surrogate pair. */
function cutsOf(text: string): number[] {
  const cuts: number[] = [];
  if (!mayHoldLongRun(text)) return cuts;
  for (const run of text.matchAll(LONG_RUN)) {
    const end = run.index + run[0].length;
    let cut = run.index;
    while (end - cut > RUN_CHARS_MAX) {
      cut += RUN_CHARS_MAX;
      if (isInsidePair(text, cut)) cut -= 1;
      cuts.push(cut);
    }
  }
  return cuts;
}

/**
 * False where no run is over-long. Looks back from where such a run would have to reach; the first border it meets rules
 * out every run that begins before it, so that few characters are looked at. Characters beyond ASCII are borders of none.
 */
function mayHoldLongRun(text: string): boolean {
  let start = 0;
  while (start + RUN_CHARS_MAX < text.length) {
    const border = lastBorder(text, start, start + RUN_CHARS_MAX);
    if (border < start) return true;
    start = border + 1;
  }
  return false;
}

/** Offset of the last character from `start` to `end` that is of another kind than one behind it; `start - 1` without one. */
function lastBorder(text: string, start: number, end: number): number {
  let kind: RunKind = "any";
  for (let at = end; at >= start; at--) {
    const own = kindOf(text.charCodeAt(at));
    if (own === "none") return at;
    if (own === "any") continue;
    if (kind !== "any" && own !== kind) return at;
    kind = own;
  }
  return start - 1;
}

/** What kind of run a character may stand in; digits stand in none. */
type RunKind = "letter" | "space" | "sign" | "none" | "any";

function kindOf(unit: number): RunKind {
  if (unit > 0x7e) return "any";
  if (unit >= 0x30 && unit <= 0x39) return "none";
  const lower = unit | 0x20;
  if (lower >= 0x61 && lower <= 0x7a) return "letter";
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) ? "space" : "sign";
}

function isInsidePair(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
