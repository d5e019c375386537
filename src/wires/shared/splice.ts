import type { Span } from "../../lib/json-scan.ts";

/** Bytes of a body that give way to other bytes; an empty span is an insertion, and null a cut. */
export interface Splice extends Span {
  readonly bytes: Uint8Array | null;
}

/** Puts text in before the byte at `at`. */
export function insertion(at: number, text: string): Splice {
  return { start: at, end: at, bytes: Buffer.from(text) };
}

/** The same splice of a message that begins at `by`. */
export function shift({ start, end, bytes }: Splice, by: number): Splice {
  return { start: start + by, end: end + by, bytes };
}

/** The body as slices of its own memory, and new pieces between them. At one place the splices keep their order. */
export function spliceBody(body: Uint8Array, splices: readonly Splice[]): readonly Uint8Array[] {
  if (splices.length === 0) return [body];
  const slices: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, bytes } of splices.toSorted((one, other) => one.start - other.start)) {
    if (start > at) slices.push(body.subarray(at, start));
    if (bytes !== null) slices.push(bytes);
    at = end;
  }
  if (at < body.length) slices.push(body.subarray(at));
  return slices;
}
