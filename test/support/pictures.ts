import { createHash } from "node:crypto";
import type { Block } from "./conversation.ts";

/** Bytes of a PNG as far as its header goes, with noise behind it that no other seed has. */
export function picture(seed: number | string, size: { width?: number; height?: number; bytes?: number } = {}): Buffer {
  const { width = 1_280, height = 800, bytes = 4_000 } = size;
  const header = Buffer.from("89504e470d0a1a0a0000000d494844520000000000000000080600000000000000", "hex");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  const noise = createHash("shake256", { outputLength: bytes - header.length })
    .update(`picture ${seed}`)
    .digest();
  return Buffer.concat([header, noise]);
}

/** An image as a block of a message or of a result. */
export function imageBlock(bytes: Buffer): Block {
  return { type: "image", source: { type: "base64", media_type: "image/png", data: bytes.toString("base64") } };
}
