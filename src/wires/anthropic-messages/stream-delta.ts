import type { Span } from "../../lib/json-scan.ts";

/** A delta of one string: what it adds, and to which member. */
export interface ToldWords {
  readonly member: string;
  readonly words: string;
}

/** An event that adds words to a block. */
interface WordsEvent {
  readonly index: number;
  /** In the data as UTF-8. */
  readonly indexSpan: Span;
  readonly delta: ToldWords;
}

/** Up to the words. White space as anybody writes it; everything else has one form. */
const HEAD =
  /^(\{"type": ?"content_block_delta", ?"index": ?)(0|[1-9][0-9]{0,8})(, ?"delta": ?\{"type": ?"[a-z_]{1,40}", ?"(text|thinking|signature|partial_json)": ?)"/;
/** Behind them. Some providers pad it with spaces. */
const TAIL = /^" *\} *\}$/;
/** All that no string holds as it is. */
const WRITTEN_OTHERWISE = /["\\\p{Cc}]/u;

/**
 * Nearly every event of a stream, read without walking its JSON: data in the form that providers write it. Null for any other, also
 * for data that is no JSON; what is read here is what the walk would read.
 */
export function wordsIn(data: string): WordsEvent | null {
  const head = HEAD.exec(data);
  if (head === null) return null;
  const [all, before = "", digits = "", , member = ""] = head;
  const close = data.lastIndexOf('"');
  if (close < all.length || !TAIL.test(data.slice(close))) return null;
  const words = wordsOf(data, all.length, close);
  if (words === null) return null;
  const indexSpan = { start: before.length, end: before.length + digits.length };
  return { index: Number(digits), indexSpan, delta: { member, words } };
}

/** The text of a string whose quotes stand around it; null where that is no string. */
function wordsOf(data: string, start: number, end: number): string | null {
  const plain = data.slice(start, end);
  if (!WRITTEN_OTHERWISE.test(plain)) return plain;
  try {
    const value: unknown = JSON.parse(data.slice(start - 1, end + 1));
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}
