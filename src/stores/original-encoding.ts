import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** How the bytes of an original lie in the store. */
export type Encoding = "raw" | "brotli";

export interface EncodedOriginal {
  readonly encoding: Encoding;
  readonly bytes: Uint8Array;
}

const QUALITY = 4;
/** Below this many bytes compression gains nothing worth its time. */
const COMPRESS_BYTES_MIN = 64;
/** Up to this many bytes compression takes about a millisecond; larger ones leave the event loop. */
const SYNC_BYTES_MAX = 64 * 1024;
/** A sample that does not shrink by this share speaks for media, which are compressed already. */
const SAMPLE_SHARE_MAX = 0.95;

const brotliCompressAsync = promisify(brotliCompress);

/** Compresses where that makes the bytes smaller; never alters them otherwise. Large originals are compressed off the event loop. */
export async function encodeOriginal(bytes: Uint8Array): Promise<EncodedOriginal> {
  if (bytes.length < COMPRESS_BYTES_MIN) return { encoding: "raw", bytes };
  if (bytes.length <= SYNC_BYTES_MAX) return smaller(bytes, brotliCompressSync(bytes, parameters(bytes.length)));
  const sample = bytes.subarray(0, SYNC_BYTES_MAX);
  const sampled = brotliCompressSync(sample, parameters(sample.length));
  if (sampled.length > sample.length * SAMPLE_SHARE_MAX) return { encoding: "raw", bytes };
  return smaller(bytes, await brotliCompressAsync(bytes, parameters(bytes.length)));
}

/** The original's bytes, or null where the stored bytes cannot be decoded to `byteCount` bytes. Allocates no more than that. */
export function decodeOriginal(encoding: string, stored: Uint8Array, byteCount: number): Uint8Array | null {
  if (encoding === "raw") return stored.length === byteCount ? stored : null;
  if (encoding !== "brotli") return null;
  try {
    const bytes = brotliDecompressSync(stored, { maxOutputLength: Math.max(1, byteCount) });
    return bytes.length === byteCount ? bytes : null;
  } catch {
    return null;
  }
}

function smaller(bytes: Uint8Array, compressed: Uint8Array): EncodedOriginal {
  return compressed.length < bytes.length ? { encoding: "brotli", bytes: compressed } : { encoding: "raw", bytes };
}

function parameters(byteCount: number) {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: byteCount } };
}
