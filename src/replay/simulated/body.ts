import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { invalid, type Refusal, refusal } from "./refusal.ts";

/** Longest body the API takes, in bytes, before and after decompression. */
export const BODY_BYTES_MAX = 33_554_432;

export type ReadBody =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly refusal: Refusal };

const DECODERS: ReadonlyMap<string, (bytes: Uint8Array, limit: { maxOutputLength: number }) => Promise<Uint8Array>> =
  new Map([
    ["gzip", promisify(gunzip)],
    ["x-gzip", promisify(gunzip)],
    ["deflate", promisify(inflate)],
    ["br", promisify(brotliDecompress)],
  ]);

/** Reads a request's body to its end and decodes its content-encoding; what is too long is read but not kept. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const piece = Buffer.from(chunk);
    length += piece.length;
    if (length <= bytesMax) chunks.push(piece);
    else chunks.length = 0;
  }
  if (length > bytesMax) return tooLarge();
  return decode(Buffer.concat(chunks), request.headers["content-encoding"], bytesMax);
}

async function decode(bytes: Uint8Array, encoding: string | undefined, bytesMax: number): Promise<ReadBody> {
  const name = (encoding ?? "identity").trim().toLowerCase();
  if (name === "identity" || name === "" || bytes.length === 0) return { ok: true, bytes };
  const decoder = DECODERS.get(name);
  if (decoder === undefined) return { ok: false, refusal: invalid(`content-encoding '${name}' is not supported`) };
  try {
    return { ok: true, bytes: await decoder(bytes, { maxOutputLength: bytesMax }) };
  } catch (error) {
    const isTooLong = error instanceof RangeError;
    return isTooLong ? tooLarge() : { ok: false, refusal: invalid(`the body is not valid ${name}`) };
  }
}

function tooLarge(): ReadBody {
  return { ok: false, refusal: refusal(413, "Request exceeds the maximum allowed number of bytes.") };
}
