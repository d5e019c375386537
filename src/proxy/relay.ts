import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { RawHeaders } from "./headers.ts";
import { toClientHeaders } from "./headers.ts";
import type { Tap } from "./tap.ts";

/** One request as it goes upstream; a stream or bytes must be as long as a stated content-length. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
  readonly body: Readable | Uint8Array | null;
}

/** How an exchange with the upstream ended. */
export interface RelayEnd {
  /** 0: no response came. */
  readonly status: number;
  readonly bytes: number;
  /** Null when the response ended as it should; else a code, never an address. */
  readonly error: string | null;
  readonly isClientGone: boolean;
}

/** Chooses whether a response is watched, when its headers are known. */
export type TapChooser = (status: number, headers: RawHeaders) => Tap | null;

/**
 * Sends a request upstream and its response to the client as it comes: status, headers and bytes, at the speed of the
 * slower side. A response cut upstream is cut for the client; a client that leaves ends the request upstream. Resolves
 * in every case; when it ends with status 0 the client was sent nothing.
 */
export function relay(
  pool: Dispatcher,
  outgoing: Outgoing,
  response: ServerResponse,
  chooseTap: TapChooser,
): Promise<RelayEnd> {
  return new Promise((resolve) => {
    let upstream: Dispatcher.DispatchController | null = null;
    let tap: Tap | null = null;
    let status = 0;
    let bytes = 0;
    let isClientGone = response.destroyed;

    const settle = (error: string | null) => {
      response.off("close", onClose).off("drain", onDrain);
      resolve({ status, bytes, error, isClientGone });
    };
    const onDrain = () => upstream?.resume();
    const onClose = () => {
      if (response.writableEnded) return;
      isClientGone = true;
      upstream?.abort(new Error("the client left"));
    };
    if (isClientGone) return settle("CLIENT_LEFT");
    response.once("close", onClose).on("drain", onDrain);

    pool.dispatch(outgoing, {
      onRequestStart(controller) {
        upstream = controller;
        if (isClientGone) controller.abort(new Error("the client left"));
      },
      onResponseStart(controller, code, _headers, statusMessage) {
        if (code < 200 || isClientGone) return;
        const headers = toRawHeaders(controller.rawHeaders);
        response.sendDate = false;
        response.writeHead(code, statusMessage ?? "", toClientHeaders(headers));
        // Sends the head at once. flushHeaders() would encode it as UTF-8; header bytes are latin1.
        response.write(NOTHING);
        if (isBodyless(outgoing.method, code)) response.end();
        status = code;
        tap = chooseTap(code, headers);
      },
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        if (!isClientGone && !response.write(chunk)) controller.pause();
        tap?.push(chunk);
      },
      onResponseEnd() {
        response.end();
        settle(null);
      },
      onResponseError(_controller, error) {
        if (response.writableEnded && !isClientGone) return settle(null);
        if (status !== 0 && !isClientGone) cut(response);
        settle(isClientGone ? "CLIENT_LEFT" : codeOf(error));
      },
    });
  });
}

const NOTHING = Buffer.alloc(0);

/** Such a response may state the length of a body that does not follow. */
function isBodyless(method: string, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

/** What came before the cut still reaches the client; then its connection ends without the end of a message. */
function cut(response: ServerResponse): void {
  if (response.socket === null) response.destroy();
  else response.socket.destroySoon();
}

function toRawHeaders(raw: unknown): RawHeaders {
  if (!Array.isArray(raw)) return [];
  return raw.map((part: unknown) => (Buffer.isBuffer(part) ? part.toString("latin1") : String(part)));
}

function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{0,47}$/.test(code) ? code : "UNKNOWN";
}
