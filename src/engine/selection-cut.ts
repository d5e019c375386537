import { isSecondHalf, type NumberedLine, type Span } from "./selection-lines.ts";

/** What one answer may hold. The first character of the first piece is shown in any case, so that a walk goes on. */
export interface Caps {
  readonly lines: number;
  readonly bytes: number;
  /** Unicode code points. */
  readonly chars: number;
}

/** A line, or the part of it that was asked for. */
export interface Piece extends NumberedLine {
  /** Code point of the line at which it begins, from 1. */
  readonly charFrom: number;
  /** Printed before it: its number, where the line does not print one. ASCII. */
  readonly prefix: string;
}

/** What of the pieces fits. */
export interface Taken {
  readonly text: string;
  /** Pieces shown, the one shown in part included. */
  readonly count: number;
  /** The one piece of which only the head fits, and how many code points of it are shown. */
  readonly cut: { readonly piece: Piece; readonly chars: number } | null;
  /** The first piece that is not shown at all. */
  readonly next: Piece | null;
}

/** Takes whole pieces while they fit; the head of the first one where that alone does not. */
export function takePieces(text: string, pieces: IterableIterator<Piece>, caps: Caps): Taken {
  const shown = createShown(text);
  let { bytes, chars } = caps;
  let count = 0;
  for (const piece of pieces) {
    if (count >= caps.lines) return { text: shown.text(), count, cut: null, next: piece };
    const room = { bytes: bytes - piece.prefix.length, chars: chars - piece.prefix.length };
    const head = headOf(text, piece, room);
    if (head.end < piece.end) {
      if (count > 0) return { text: shown.text(), count, cut: null, next: piece };
      return cutFirst(text, piece, head, pieces);
    }
    shown.add(piece.prefix, piece);
    count++;
    bytes = room.bytes - head.bytes;
    chars = room.chars - head.chars;
  }
  return { text: shown.text(), count, cut: null, next: null };
}

/** The part of a line from code point `from` to `to`, both inclusive, `to` null to its end. Past the end it is empty. */
export function sliceLine(text: string, line: Span, { from, to }: { from: number; to: number | null }): Span {
  const start = skipChars(text, line.start, line.end, from - 1);
  return { start, end: to === null ? line.end : skipChars(text, start, line.end, to - from + 1) };
}

const CHARACTER_BYTES_MAX = 4;

/** Pieces that stand behind one another in the text are one slice of it. */
function createShown(text: string) {
  const parts: string[] = [];
  let run: Span = { start: 0, end: 0 };
  const close = () => {
    if (run.end > run.start) parts.push(text.slice(run.start, run.end));
  };
  return {
    add(prefix: string, { start, end }: Span) {
      if (prefix === "" && start === run.end) {
        run = { start: run.start, end };
        return;
      }
      close();
      if (prefix !== "") parts.push(prefix);
      run = { start, end };
    },
    text(): string {
      close();
      return parts.join("");
    },
  };
}

/** At least one character of the first piece, whatever the caps. */
function cutFirst(text: string, piece: Piece, fitting: Head, pieces: IterableIterator<Piece>): Taken {
  const head = fitting.chars > 0 ? fitting : headOf(text, piece, { bytes: CHARACTER_BYTES_MAX, chars: 1 });
  return {
    text: piece.prefix + text.slice(piece.start, head.end),
    count: 1,
    cut: head.end < piece.end ? { piece, chars: head.chars } : null,
    next: firstOf(pieces),
  };
}

function firstOf(pieces: IterableIterator<Piece>): Piece | null {
  for (const piece of pieces) return piece;
  return null;
}

interface Head {
  readonly end: number;
  readonly chars: number;
  readonly bytes: number;
}

/** The longest head of a span of whole characters within both numbers. */
function headOf(text: string, { start, end }: Span, room: { readonly bytes: number; readonly chars: number }): Head {
  let at = start;
  let bytes = 0;
  let chars = 0;
  while (at < end && chars < room.chars) {
    const isPair = at + 1 < end && isSecondHalf(text, at + 1);
    const size = isPair ? CHARACTER_BYTES_MAX : bytesOfUnit(text.charCodeAt(at));
    if (bytes + size > room.bytes) break;
    bytes += size;
    chars++;
    at += isPair ? 2 : 1;
  }
  return { end: at, chars, bytes };
}

/** A lone surrogate takes three bytes, as any other character of its size. */
function bytesOfUnit(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

function skipChars(text: string, start: number, end: number, count: number): number {
  let at = start;
  for (let left = count; left > 0 && at < end; left--) at += at + 1 < end && isSecondHalf(text, at + 1) ? 2 : 1;
  return at;
}
