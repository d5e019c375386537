import { Transform } from "node:stream";
import * as zlib from "node:zlib";

/** Codings this process can undo. `zstd` only where Node has it. */
export function isDecodable(coding: string): boolean {
  return coding === "zstd" ? typeof zstdFactory() === "function" : KNOWN.has(coding);
}

/** A stream that undoes `coding`, chosen with the first bytes in hand; null when this process cannot. */
export function createDecoder(coding: string, first: Uint8Array): Transform | null {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip({ chunkSize: CHUNK_BYTES });
    case "deflate":
      return hasZlibHeader(first)
        ? zlib.createInflate({ chunkSize: CHUNK_BYTES })
        : zlib.createInflateRaw({ chunkSize: CHUNK_BYTES });
    case "br":
      return zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES });
    case "zstd":
      return createZstdDecoder();
    default:
      return null;
  }
}

export type Decoded =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false /** More than allowed would have come out. */; readonly isOver: boolean };

/** All of `bytes` decoded, up to `bytesMax` bytes. Never rejects. */
export function decodeWhole(bytes: Uint8Array, coding: string, bytesMax: number): Promise<Decoded> {
  const decoder = createDecoder(coding, bytes);
  if (decoder === null) return Promise.resolve({ ok: false, isOver: false });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    decoder.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bytesMax) chunks.push(chunk);
      else decoder.destroy();
    });
    decoder.once("end", () => resolve({ ok: true, bytes: Buffer.concat(chunks, length) }));
    decoder.once("error", () => resolve({ ok: false, isOver: false }));
    decoder.once("close", () => resolve({ ok: false, isOver: length > bytesMax }));
    decoder.end(bytes);
  });
}

const CHUNK_BYTES = 64 * 1024;
const KNOWN = new Set(["gzip", "x-gzip", "deflate", "br"]);

/** "deflate" is the zlib format by its definition, and the bare one from some senders. */
function hasZlibHeader(first: Uint8Array): boolean {
  const [method = 0, flags = 0] = first;
  return (method & 0x0f) === 8 && (first.length < 2 || ((method << 8) | flags) % 31 === 0);
}

function zstdFactory(): unknown {
  return Reflect.get(zlib, "createZstdDecompress");
}

function createZstdDecoder(): Transform | null {
  const factory = zstdFactory();
  if (typeof factory !== "function") return null;
  const decoder: unknown = Reflect.apply(factory, zlib, []);
  return decoder instanceof Transform ? decoder : null;
}
