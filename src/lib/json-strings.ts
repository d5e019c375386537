import type { JsonBytes, Span } from "./json-scan.ts";
import { decodeString } from "./json-spans.ts";
import { encodeWtf8, isWellFormedUtf8 } from "./wtf8.ts";

const BACKSLASH = 0x5c;

/** The text of a JSON string as bytes. */
export interface StringBytes {
  /** WTF-8 of the text; the string's own bytes where nothing is escaped. */
  readonly bytes: Uint8Array;
  /** The text, where it had to be decoded to find the bytes. */
  readonly text: string | null;
  /** False where the bytes were not UTF-8 and U+FFFD stands in their place. */
  readonly isExact: boolean;
}

/** Reads a valid JSON string, quotes included in the span, and decodes it at most once. */
export function stringBytes(text: JsonBytes, span: Span): StringBytes {
  const inner = text.bytes.subarray(span.start + 1, span.end - 1);
  const isExact = isWellFormedUtf8(inner);
  if (isExact && !inner.includes(BACKSLASH)) return { bytes: inner, text: null, isExact };
  const decoded = decodeString(text, span);
  return { bytes: encodeWtf8(decoded), text: decoded, isExact };
}
