import type { JsonBytes, Span } from "./json-scan.ts";
import { decodeString } from "./json-spans.ts";
import { encodeWtf8, isWellFormedUtf8 } from "./wtf8.ts";

const BACKSLASH = 0x5c;
const LF = 0x0a;
/** What a short escape stands for, by its letter; 0 for `u`. */
const SHORT_ESCAPES = shortEscapes();

/** The text of a JSON string as bytes. */
export interface StringBytes {
  /** WTF-8 of the text; the string's own bytes where nothing is escaped. */
  readonly bytes: Uint8Array;
  /** Line feeds among them. */
  readonly lineFeeds: number;
  /** False where the bytes were not UTF-8 and U+FFFD stands in their place. */
  readonly isExact: boolean;
}

/** Reads a valid JSON string, quotes included in the span, without making a string of it. */
export function stringBytes(text: JsonBytes, span: Span): StringBytes {
  const inner = text.bytes.subarray(span.start + 1, span.end - 1);
  if (!isWellFormedUtf8(inner)) {
    const decoded = decodeString(text, span);
    return { bytes: encodeWtf8(decoded), lineFeeds: decoded.split("\n").length - 1, isExact: false };
  }
  if (!inner.includes(BACKSLASH)) return { bytes: inner, lineFeeds: 0, isExact: true };
  return unescaped(inner);
}

/** No escape is shorter than what it stands for. */
function unescaped(inner: Buffer): StringBytes {
  const out = Buffer.allocUnsafe(inner.length);
  let length = 0;
  let lineFeeds = 0;
  for (let at = 0; at < inner.length; at += 1) {
    const byte = inner[at] ?? 0;
    if (byte !== BACKSLASH) {
      out[length] = byte;
      length += 1;
      continue;
    }
    at += 1;
    const meaning = SHORT_ESCAPES[inner[at] ?? 0] ?? 0;
    const point = meaning === 0 ? pointAt(inner, at + 1) : meaning;
    if (meaning === 0) at += point > 0xffff ? 10 : 4;
    if (point === LF) lineFeeds += 1;
    length = writePoint(out, length, point);
  }
  return { bytes: out.subarray(0, length), lineFeeds, isExact: true };
}

function shortEscapes(): Uint8Array {
  const meanings = new Uint8Array(128);
  for (const pair of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"])
    meanings[pair.charCodeAt(0)] = pair.charCodeAt(1);
  return meanings;
}

/** The code point whose four hexadecimal digits begin at `at`; of a surrogate pair the one both halves make. */
function pointAt(inner: Buffer, at: number): number {
  const unit = unitAt(inner, at);
  const isHigh = unit >= 0xd800 && unit <= 0xdbff;
  if (!isHigh || inner[at + 4] !== BACKSLASH || inner[at + 5] !== 0x75) return unit;
  const low = unitAt(inner, at + 6);
  return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : unit;
}

function unitAt(inner: Buffer, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index += 1) {
    const digit = inner[index] ?? 0;
    unit = (unit << 4) | (digit <= 0x39 ? digit - 0x30 : (digit | 0x20) - 0x57);
  }
  return unit;
}

/** Writes a code point as WTF-8 and answers the offset behind it. */
function writePoint(out: Buffer, at: number, point: number): number {
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  const count = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  out[at] = ((0xf00 >> count) & 0xff) | (point >> (6 * (count - 1)));
  for (let index = 1; index < count; index += 1) out[at + index] = 0x80 | ((point >> (6 * (count - 1 - index))) & 0x3f);
  return at + count;
}
