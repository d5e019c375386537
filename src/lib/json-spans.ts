import { isAscii } from "node:buffer";
import { assert } from "./assert.ts";
import type { JsonBytes, Span } from "./json-scan.ts";
import { skipColon, skipSpace, skipString, skipValue } from "./json-scan.ts";

const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** Up to here, building a string byte by byte is faster than a native call: most keys are this short. */
const SHORT_BYTES_MAX = 20;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/** An object's values by decoded key. */
export interface JsonMembers {
  readonly spans: ReadonlyMap<string, Span>;
  readonly hasDuplicates: boolean;
}

/**
 * Walks the members of the object that begins at `start`. `visit` consumes each value and answers its end (or a
 * failure), so nested containers can be walked in the same pass. Answers the object's end, or a failure like `skipValue`.
 */
export function visitMembers(
  text: JsonBytes,
  start: number,
  visit: (key: string, valueStart: number, keySpan: Span) => number,
): number {
  let at = skipSpace(text, start + 1);
  if (text.bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    const keyStart = at;
    const keyEnd = skipString(text, at);
    if (keyEnd < 0) return keyEnd;
    at = skipColon(text, keyEnd);
    if (at < 0) return at;
    const keySpan = { start: keyStart, end: keyEnd };
    const end = visit(decodeString(text, keySpan), at, keySpan);
    if (end < 0) return end;
    at = skipSpace(text, end);
    if (text.bytes[at] === CLOSE_BRACE) return at + 1;
    if (text.bytes[at] !== COMMA) return ~at;
    at = skipSpace(text, at + 1);
  }
}

/** Walks the elements of the array that begins at `start`, like `visitMembers`. */
export function visitElements(
  text: JsonBytes,
  start: number,
  visit: (valueStart: number, index: number) => number,
): number {
  let at = skipSpace(text, start + 1);
  if (text.bytes[at] === CLOSE_BRACKET) return at + 1;
  for (let index = 0; ; index += 1) {
    const end = visit(at, index);
    if (end < 0) return end;
    at = skipSpace(text, end);
    if (text.bytes[at] === CLOSE_BRACKET) return at + 1;
    if (text.bytes[at] !== COMMA) return ~at;
    at = skipSpace(text, at + 1);
  }
}

/**
 * Members of the valid object that begins at `start`. Of a key that comes twice the last one counts, as in `JSON.parse`, and
 * `hasDuplicates` says so.
 */
export function membersOf(text: JsonBytes, start: number): JsonMembers {
  const spans = new Map<string, Span>();
  let hasDuplicates = false;
  const end = visitMembers(text, start, (key, valueStart) => {
    const valueEnd = skipValue(text, valueStart);
    hasDuplicates ||= spans.has(key);
    spans.set(key, { start: valueStart, end: valueEnd });
    return valueEnd;
  });
  assert(end > 0, "members are only asked of a valid object");
  return { spans, hasDuplicates };
}

/** Elements of the valid array that begins at `start`. */
export function elementsOf(text: JsonBytes, start: number): readonly Span[] {
  const spans: Span[] = [];
  const end = visitElements(text, start, (valueStart) => {
    const valueEnd = skipValue(text, valueStart);
    spans.push({ start: valueStart, end: valueEnd });
    return valueEnd;
  });
  assert(end > 0, "elements are only asked of a valid array");
  return spans;
}

/** Text of a valid JSON string, quotes included in the span. Bytes that are not UTF-8 become U+FFFD, as in `JSON.parse`. */
export function decodeString(text: JsonBytes, span: Span): string {
  const short = span.end - span.start <= SHORT_BYTES_MAX ? shortText(text.bytes, span) : null;
  if (short !== null) return short;
  return hasEscapes(text, span)
    ? String(JSON.parse(sliceText(text, span.start, span.end)))
    : sliceText(text, span.start + 1, span.end - 1);
}

/** True when a JSON string, quotes included in the span, holds an escape. */
export function hasEscapes(text: JsonBytes, span: Span): boolean {
  return text.bytes.subarray(span.start, span.end).includes(BACKSLASH);
}

/** Bytes as text. ASCII takes the way that only copies. */
function sliceText(text: JsonBytes, start: number, end: number): string {
  return text.bytes.toString(isAscii(text.bytes.subarray(start, end)) ? "latin1" : "utf8", start, end);
}

/** The text of a string that is all ASCII and holds no escape; null for any other. */
function shortText(bytes: Buffer, span: Span): string | null {
  let short = "";
  for (let at = span.start + 1; at < span.end - 1; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x80 || byte === BACKSLASH) return null;
    short += String.fromCharCode(byte);
  }
  return short;
}
