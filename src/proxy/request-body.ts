import type { IncomingMessage } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { BODIES_HELD_MAX, BODY_BYTES_HELD_MAX, REQUEST_BYTES_MAX } from "./limits.ts";

/** Memory of one request's body; given back once, at the end of the exchange. */
export interface BodyLease {
  /** False: the bytes are too many beside those of other requests, and were not taken. */
  grow(bytes: number): boolean;
  /** Of what was taken, so many bytes are not held any more. */
  shrink(bytes: number): void;
  giveBack(): void;
}

/** Bounds what all request bodies take together. */
export interface BodyBudget {
  /** Null when as many bodies as allowed are held already. */
  lease(): BodyLease | null;
}

export type ReadBody =
  | { readonly kind: "whole"; readonly bytes: Buffer }
  /** Over the limit; the request still holds every byte, for streaming. */
  | { readonly kind: "over" }
  /** No memory is left for it beside other requests. */
  | { readonly kind: "crowded" }
  /** The client left in the middle. */
  | { readonly kind: "gone" };

/** A budget of `BODIES_HELD_MAX` bodies and `bytesMax` bytes. */
export function createBodyBudget(bytesMax: number = BODY_BYTES_HELD_MAX): BodyBudget {
  let bodies = 0;
  let held = 0;
  return {
    lease() {
      if (bodies >= BODIES_HELD_MAX) return null;
      bodies += 1;
      let own = 0;
      return {
        grow(bytes) {
          if (held + bytes > bytesMax) return false;
          own += bytes;
          held += bytes;
          return true;
        },
        shrink(bytes) {
          own -= bytes;
          held -= bytes;
        },
        giveBack() {
          held -= own;
          bodies -= 1;
        },
      };
    },
  };
}

/** Reads a request's body whole, up to `REQUEST_BYTES_MAX`. Never rejects. */
export function readBody(request: IncomingMessage, lease: BodyLease): Promise<ReadBody> {
  if (Number(request.headers["content-length"] ?? 0) > REQUEST_BYTES_MAX) return Promise.resolve({ kind: "over" });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (result: ReadBody) => {
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (!lease.grow(chunk.length)) return settle({ kind: "crowded" });
      if (length <= REQUEST_BYTES_MAX) return;
      request.pause();
      settle({ kind: "over" });
      for (const read of chunks.reverse()) request.unshift(read);
    };
    const onEnd = () => settle({ kind: "whole", bytes: Buffer.concat(chunks, length) });
    const onClose = () => settle({ kind: "gone" });
    request.on("data", onData).once("end", onEnd).once("close", onClose);
  });
}

/**
 * A request's body as a stream of its own, or null when it has none. Ending or destroying it leaves the client's
 * connection alone, so that an early answer still reaches the client; the rest of the body is then read away.
 */
export function streamBody(request: IncomingMessage): Readable | null {
  const isEmpty =
    request.headers["transfer-encoding"] === undefined && !(Number(request.headers["content-length"]) > 0);
  if (isEmpty) return null;
  const stream = new PassThrough();
  // The relay reports a failed exchange; an error after its end has nobody left to tell.
  stream.on("error", () => undefined);
  stream.once("close", () => request.unpipe(stream).resume());
  return request.pipe(stream);
}
