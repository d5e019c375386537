import { createReadStream } from "node:fs";

/** Longest line that is read; a longer one is reported by the caller and its bytes are let go. */
export const LINE_BYTES_MAX = 128 * 1024 * 1024;

const CHUNK_BYTES = 1024 * 1024;
const LF = 0x0a;

export interface FileLine {
  /** From 1. */
  readonly number: number;
  /** Without its line end; null for a line over `LINE_BYTES_MAX`. */
  readonly bytes: Buffer | null;
}

/** The lines of a file as a stream: never more than one line and one chunk in memory. Ends with the last non-empty line. */
export async function* readLines(path: string, onBytes: (bytes: number) => void): AsyncGenerator<FileLine> {
  let number = 1;
  let pieces: Buffer[] = [];
  let held = 0;
  const take = (): FileLine => {
    const bytes = held > LINE_BYTES_MAX ? null : joinPieces(pieces);
    pieces = [];
    held = 0;
    return { number: number++, bytes };
  };
  for await (const part of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const chunk: Buffer = part;
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      pieces.push(chunk.subarray(start, end));
      held += end - start;
      start = end + 1;
      yield take();
    }
    held += chunk.length - start;
    if (held > LINE_BYTES_MAX) pieces = [];
    else if (start < chunk.length) pieces.push(chunk.subarray(start));
    onBytes(chunk.length);
  }
  if (held > 0) yield take();
}

function joinPieces(pieces: readonly Buffer[]): Buffer {
  const only = pieces[0];
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
