import { isAscii, isUtf8, transcode } from "node:buffer";

const REPLACED_CHAR_BYTES = 3;
const LONG_BYTES_MIN = 1_024;
const REPLACEMENT = Buffer.from("\ufffd");

/** Bytes of a text as UTF-8 in which lone surrogates are kept, each as three bytes (WTF-8). */
export function encodeWtf8(text: string): Uint8Array {
  const bytes = Buffer.from(text, "utf8");
  // Buffer writes U+FFFD, also three bytes long, for each lone surrogate: the places agree and only they are rewritten.
  if (!bytes.includes(REPLACEMENT) || !/\p{Surrogate}/u.test(text)) return bytes;
  let at = 0;
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    if (isSurrogate(point)) writeThree(bytes, at, point);
    at += byteLengthOf(point);
  }
  return bytes;
}

/** Text of WTF-8 bytes: the inverse of `encodeWtf8`. Bytes that are not WTF-8 become U+FFFD. */
export function decodeWtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return buffer.toString("latin1");
  if (isUtf8(buffer)) return decodeUtf8(buffer);
  const parts: string[] = [];
  let plainStart = 0;
  for (let at = 0; at < buffer.length; at += 1) {
    const surrogate = surrogateAt(buffer, at);
    if (surrogate === null) continue;
    parts.push(buffer.toString("utf8", plainStart, at), String.fromCharCode(surrogate));
    plainStart = at + REPLACED_CHAR_BYTES;
    at = plainStart - 1;
  }
  parts.push(buffer.toString("utf8", plainStart));
  return parts.join("");
}

/** By way of UTF-16: for long texts faster than `toString`. */
function decodeUtf8(buffer: Buffer): string {
  return buffer.length < LONG_BYTES_MIN ? buffer.toString("utf8") : transcode(buffer, "utf8", "ucs2").toString("ucs2");
}

/** WTF-8 of texts joined without separator: surrogate halves that meet at a joint become one character, as in a string. */
export function joinWtf8(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const joined = Buffer.concat(parts);
  return hasJoint(parts) ? encodeWtf8(decodeWtf8(joined)) : joined;
}

/** True when the bytes are well-formed UTF-8, so without surrogates. */
export function isWellFormedUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes);
}

function hasJoint(parts: readonly Uint8Array[]): boolean {
  let endsHigh = false;
  for (const part of parts) {
    if (part.length === 0) continue;
    if (endsHigh && isLow(surrogateAt(part, 0))) return true;
    endsHigh = isHigh(surrogateAt(part, part.length - REPLACED_CHAR_BYTES));
  }
  return false;
}

/** The surrogate whose three bytes begin at `at`, or null. */
function surrogateAt(bytes: Uint8Array, at: number): number | null {
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  if (bytes[at] !== 0xed || second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) return null;
  return 0xd000 | ((second & 0x3f) << 6) | (third & 0x3f);
}

function isSurrogate(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff;
}

function isHigh(point: number | null): boolean {
  return point !== null && point <= 0xdbff;
}

function isLow(point: number | null): boolean {
  return point !== null && point >= 0xdc00;
}

function byteLengthOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

function writeThree(bytes: Uint8Array, at: number, point: number): void {
  bytes[at] = 0xe0 | (point >> 12);
  bytes[at + 1] = 0x80 | ((point >> 6) & 0x3f);
  bytes[at + 2] = 0x80 | (point & 0x3f);
}
