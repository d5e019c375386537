import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** A real PNG in shades of grey: each row has a shade of its own, and no other seed has the same. */
export function pngFile(seed: number, width: number, height: number): Buffer {
  const shades = createHash("shake256", { outputLength: height }).update(`png ${seed}`).digest();
  const rows = Array.from(shades, (shade) => Buffer.concat([Buffer.from([0]), Buffer.alloc(width, shade)]));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
