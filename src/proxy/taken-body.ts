import type { Readable } from "node:stream";

/** What was read of a body. Over: more than was allowed came, and the rest is still in the stream. */
export type Collected =
  | { readonly kind: "whole"; readonly bytes: Buffer }
  | { readonly kind: "over"; readonly chunks: readonly Buffer[] };

/** Reads a body to its end, or until it passes `bytesMax`. */
export async function collect(body: Readable, bytesMax: number): Promise<Collected> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(body)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) return { kind: "over", chunks };
  }
  return { kind: "whole", bytes: Buffer.concat(chunks, length) };
}

/** The chunks of a body as they come. Who stops reading can go on later. */
export function chunksOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({ destroyOnReturn: false });
}
