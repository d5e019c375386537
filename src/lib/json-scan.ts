/** Byte offsets into the scanned bytes: the first byte, and one past the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Bytes prepared for scanning: one view of them, made once and shared by every look-up. */
export interface JsonBytes {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** The bytes are not JSON: `offset` is the first byte that cannot stand where it stands, or the length when they end too soon. */
export interface JsonFailure {
  readonly ok: false;
  readonly offset: number;
  readonly words: string;
}

/** Open containers, innermost in the lowest bit of `word` (1: object); words that are full wait in `full`. */
interface Levels {
  depth: number;
  word: number;
  full: number[] | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;
const LOWER_U = 0x75;
const LEVELS_IN_WORD = 30;

/** Shares the memory of `bytes`. */
export function toJsonBytes(bytes: Uint8Array): JsonBytes {
  return {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}

/** The one JSON value that all bytes together are, white space around it apart. Accepts exactly what `JSON.parse` accepts. */
export function scanJson(text: JsonBytes): { readonly ok: true; readonly value: Span } | JsonFailure {
  const start = skipSpace(text, 0);
  const end = skipValue(text, start);
  if (end < 0) return failureAt(text, ~end);
  const rest = skipSpace(text, end);
  return rest === text.bytes.length ? { ok: true, value: { start, end } } : failureAt(text, rest);
}

/**
 * End of the value that begins at `start` (no white space before it), or the bitwise complement of the failing offset,
 * which is negative. Never throws, never recurses.
 */
export function skipValue(text: JsonBytes, start: number): number {
  const levels: Levels = { depth: 0, word: 0, full: null };
  let at = start;
  for (;;) {
    at = skipOpening(text, at, levels);
    if (at < 0) return at;
    at = skipClosing(text, at, levels);
    if (at < 0 || levels.depth === 0) return at;
  }
}

/** First offset at or after `at` that holds no JSON white space. */
export function skipSpace(text: JsonBytes, at: number): number {
  const bytes = text.bytes;
  let next = at;
  while (next < bytes.length) {
    const byte = bytes[next] ?? 0;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
    next += 1;
  }
  return next;
}

/** The failure at `offset`, in words. */
export function failureAt(text: JsonBytes, offset: number): JsonFailure {
  const byte = text.bytes[offset];
  if (byte === undefined) return { ok: false, offset, words: `invalid JSON: it ends too soon, at byte ${offset}` };
  const isPrintable = byte > 0x20 && byte < 0x7f;
  const shown = isPrintable ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, "0")}`;
  return { ok: false, offset, words: `invalid JSON: unexpected ${shown} at byte ${offset}` };
}

/** Passes openings until a whole scalar or empty container is passed. */
function skipOpening(text: JsonBytes, start: number, levels: Levels): number {
  let at = start;
  for (;;) {
    const first = text.bytes[at] ?? 0;
    if (first === QUOTE) return skipString(text, at);
    if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return skipScalar(text.bytes, at, first);
    const isObject = first === OPEN_BRACE;
    at = skipSpace(text, at + 1);
    if (text.bytes[at] === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return at + 1;
    openLevel(levels, isObject);
    if (isObject) at = skipKey(text, at);
    if (at < 0) return at;
  }
}

/** Passes closings until the next value begins or no level is open. */
function skipClosing(text: JsonBytes, end: number, levels: Levels): number {
  let at = end;
  while (levels.depth > 0) {
    at = skipSpace(text, at);
    const follows = text.bytes[at] ?? 0;
    const inObject = (levels.word & 1) === 1;
    if (follows === COMMA) {
      at = skipSpace(text, at + 1);
      return inObject ? skipKey(text, at) : at;
    }
    if (follows !== (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) return ~at;
    at += 1;
    closeLevel(levels);
  }
  return at;
}

function openLevel(levels: Levels, isObject: boolean): void {
  if (levels.depth > 0 && levels.depth % LEVELS_IN_WORD === 0) {
    levels.full ??= [];
    levels.full.push(levels.word);
    levels.word = 0;
  }
  levels.depth += 1;
  levels.word = (levels.word << 1) | (isObject ? 1 : 0);
}

function closeLevel(levels: Levels): void {
  levels.depth -= 1;
  const isWordEmpty = levels.depth > 0 && levels.depth % LEVELS_IN_WORD === 0;
  levels.word = isWordEmpty ? (levels.full?.pop() ?? 0) : levels.word >>> 1;
}

function skipKey(text: JsonBytes, start: number): number {
  const end = skipString(text, start);
  return end < 0 ? end : skipColon(text, end);
}

/** Start of the value that follows the key ending at `keyEnd`, or a failure. */
export function skipColon(text: JsonBytes, keyEnd: number): number {
  const at = skipSpace(text, keyEnd);
  return text.bytes[at] === COLON ? skipSpace(text, at + 1) : ~at;
}

/** End of the string whose opening quote is at `start`, or a failure. */
export function skipString(text: JsonBytes, start: number): number {
  const bytes = text.bytes;
  if (bytes[start] !== QUOTE) return ~start;
  let at = start + 1;
  for (;;) {
    at = skipPlain(text, at);
    const stop = bytes[at];
    if (stop === QUOTE) return at + 1;
    if (stop !== BACKSLASH) return ~at;
    at = skipEscape(bytes, at);
    if (at < 0) return at;
  }
}

/** First quote, backslash or control byte at or after `start`, four bytes at a time; the length when there is none. */
function skipPlain(text: JsonBytes, start: number): number {
  const { bytes, view } = text;
  const wordsEnd = bytes.length - 4;
  let at = start;
  while (at <= wordsEnd) {
    const four = view.getInt32(at, true);
    const quotes = four ^ 0x22222222;
    const escapes = four ^ 0x5c5c5c5c;
    // A byte's high bit is set where subtracting borrows: exact for the lowest such byte, which is the one taken.
    const stops =
      (((four - 0x20202020) & ~four) | ((quotes - 0x01010101) & ~quotes) | ((escapes - 0x01010101) & ~escapes)) &
      0x80808080;
    if (stops !== 0) return at + ((31 - Math.clz32(stops & -stops)) >> 3);
    at += 4;
  }
  while (at < bytes.length && !isStop(bytes[at] ?? 0)) at += 1;
  return at;
}

function isStop(byte: number): boolean {
  return byte === QUOTE || byte === BACKSLASH || byte < 0x20;
}

function skipEscape(bytes: Buffer, backslash: number): number {
  switch (bytes[backslash + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // slash
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return backslash + 2;
    case LOWER_U:
      for (let at = backslash + 2; at < backslash + 6; at += 1) if (!isHex(bytes[at] ?? 0)) return ~at;
      return backslash + 6;
    default:
      return ~(backslash + 1);
  }
}

function skipScalar(bytes: Buffer, start: number, first: number): number {
  switch (first) {
    case 0x74:
      return skipWord(bytes, start, "true");
    case 0x66:
      return skipWord(bytes, start, "false");
    case 0x6e:
      return skipWord(bytes, start, "null");
    default:
      return first === MINUS || isDigit(first) ? skipNumber(bytes, start) : ~start;
  }
}

function skipWord(bytes: Buffer, start: number, word: string): number {
  for (let index = 1; index < word.length; index += 1) {
    if (bytes[start + index] !== word.charCodeAt(index)) return ~Math.min(start + index, bytes.length);
  }
  return start + word.length;
}

function skipNumber(bytes: Buffer, start: number): number {
  const whole = bytes[start] === MINUS ? start + 1 : start;
  let at = bytes[whole] === 0x30 ? whole + 1 : skipDigits(bytes, whole);
  if (at >= 0 && bytes[at] === 0x2e) at = skipDigits(bytes, at + 1);
  const exponent = at >= 0 ? (bytes[at] ?? 0) : 0;
  if (exponent !== 0x65 && exponent !== 0x45) return at;
  const sign = bytes[at + 1] ?? 0;
  return skipDigits(bytes, sign === 0x2b || sign === MINUS ? at + 2 : at + 1);
}

function skipDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at] ?? 0)) at += 1;
  return at > start ? at : ~Math.min(start, bytes.length);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}
