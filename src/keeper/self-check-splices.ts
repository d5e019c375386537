/** A place where a written body leaves the one that came: the bytes that gave way, and those put there. */
export interface Splice {
  /** Span of the bytes that gave way, in the body that came. */
  readonly start: number;
  readonly end: number;
  /** Empty for a cut. */
  readonly inserted: Uint8Array;
  /** The same bytes, piece by piece. */
  readonly pieces: readonly Uint8Array[];
}

/**
 * How a written body differs from the one that came, told by memory alone: every slice is either a stretch of the body, each
 * behind the one before, or new. Costs nothing by the byte. Null where stretches are out of order.
 */
export function splicesOf(body: Uint8Array, slices: readonly Uint8Array[]): readonly Splice[] | null {
  const splices: Splice[] = [];
  let at = 0;
  let inserted: Uint8Array[] = [];
  const close = (start: number) => {
    if (start > at || inserted.length > 0) {
      splices.push({ start: at, end: start, inserted: joined(inserted), pieces: inserted });
    }
    inserted = [];
  };
  for (const slice of slices.filter(({ length }) => length > 0)) {
    const start = placeIn(body, slice);
    if (start === null) inserted.push(slice);
    else {
      if (start < at) return null;
      close(start);
      at = start + slice.length;
    }
  }
  close(body.length);
  return splices;
}

/** Offset of a slice of the body's own memory; null for other memory. */
function placeIn(body: Uint8Array, slice: Uint8Array): number | null {
  const start = slice.byteOffset - body.byteOffset;
  const isWithin = slice.buffer === body.buffer && start >= 0 && start + slice.length <= body.length;
  return isWithin ? start : null;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

/** Bytes before a splice that tell where it stands: they hold the call's id in the usual order of keys. */
const BYTES_BEFORE = 128;
const BYTES_INSIDE = 32;
const BYTES_INSERTED = 160;

/**
 * Names splices by their surroundings, edges, lengths, what they put in, and the cuts beside them. The same name in a later body
 * is the same splice in the same place of the same message.
 */
export function namesOf(body: Uint8Array, splices: readonly Splice[]): readonly string[] {
  const names = splices.map((splice) => nameOf(body, splice));
  return names.map((name, at) => cutName(at - 1) + name + cutName(at + 1));

  /** A text gives way as a whole: one whose cut is missing is not the same. */
  function cutName(at: number): string {
    return splices[at]?.inserted.length === 0 ? `/${names[at]}` : "";
  }
}

function nameOf(body: Uint8Array, { start, end, inserted }: Splice): string {
  const before = mixed(body, Math.max(0, start - BYTES_BEFORE), Math.min(end, start + BYTES_INSIDE));
  const behind = mixed(body, Math.max(start, end - BYTES_INSIDE), end);
  const head = mixed(inserted, 0, Math.min(inserted.length, BYTES_INSERTED));
  return `${end - start} ${before} ${behind} ${inserted.length} ${head}`;
}

/** FNV-1a, 32 bits: these guard against our own mistakes, not against an enemy. A native call costs more than so few bytes. */
function mixed(bytes: Uint8Array, start: number, end: number): number {
  let mix = 0x811c9dc5;
  for (let at = start; at < end; at++) mix = Math.imul(mix ^ (bytes[at] ?? 0), 0x01000193);
  return mix;
}
