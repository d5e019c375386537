import type { JsonBytes, Span } from "./json-scan.ts";
import { decodeString } from "./json-spans.ts";
import { encodeWtf8, isWellFormedUtf8 } from "./wtf8.ts";

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const ESCAPED = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/**
 * WTF-8 bytes of a valid JSON string's text, without making a string of it. Shares memory with `text` where no escape
 * stands in it; `isExact` is false where the bytes were not UTF-8 and U+FFFD stands in their place.
 */
export function stringBytes(text: JsonBytes, span: Span): { readonly bytes: Uint8Array; readonly isExact: boolean } {
  const inner = text.bytes.subarray(span.start + 1, span.end - 1);
  if (!isWellFormedUtf8(inner)) return { bytes: encodeWtf8(decodeString(text, span)), isExact: false };
  const firstEscape = inner.indexOf(BACKSLASH);
  return { bytes: firstEscape === -1 ? inner : resolveEscapes(inner, firstEscape), isExact: true };
}

function resolveEscapes(inner: Buffer, firstEscape: number): Uint8Array {
  const out = Buffer.allocUnsafe(inner.length);
  inner.copy(out, 0, 0, firstEscape);
  let to = firstEscape;
  let from = firstEscape;
  while (from < inner.length) {
    const byte = inner[from] ?? 0;
    if (byte !== BACKSLASH) {
      out[to] = byte;
      to += 1;
      from += 1;
      continue;
    }
    const escaped = inner[from + 1] ?? 0;
    if (escaped === LOWER_U) {
      const point = pointAt(inner, from);
      from += point > 0xffff ? 12 : 6;
      to = writePoint(out, to, point);
    } else {
      out[to] = ESCAPED.get(escaped) ?? escaped;
      to += 1;
      from += 2;
    }
  }
  return out.subarray(0, to);
}

/** The code point of the `\u` escape at `at`, joined with the escape after it where the two are one surrogate pair. */
function pointAt(inner: Buffer, at: number): number {
  const unit = unitAt(inner, at);
  if (unit < 0xd800 || unit > 0xdbff || inner[at + 6] !== BACKSLASH || inner[at + 7] !== LOWER_U) return unit;
  const low = unitAt(inner, at + 6);
  return low < 0xdc00 || low > 0xdfff ? unit : 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

function unitAt(inner: Buffer, at: number): number {
  return Number.parseInt(inner.toString("latin1", at + 2, at + 6), 16);
}

function writePoint(out: Buffer, at: number, point: number): number {
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  if (point < 0x800) {
    out[at] = 0xc0 | (point >> 6);
    out[at + 1] = 0x80 | (point & 0x3f);
    return at + 2;
  }
  if (point < 0x10000) {
    out[at] = 0xe0 | (point >> 12);
    out[at + 1] = 0x80 | ((point >> 6) & 0x3f);
    out[at + 2] = 0x80 | (point & 0x3f);
    return at + 3;
  }
  out[at] = 0xf0 | (point >> 18);
  out[at + 1] = 0x80 | ((point >> 12) & 0x3f);
  out[at + 2] = 0x80 | ((point >> 6) & 0x3f);
  out[at + 3] = 0x80 | (point & 0x3f);
  return at + 4;
}
