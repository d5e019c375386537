import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { RawHeaders } from "./headers.ts";

/** One request as it goes upstream; a stream or bytes must be as long as a stated content-length. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
  readonly body: Readable | Uint8Array | null;
}

/** The head of a final response. */
export interface Head {
  readonly status: number;
  readonly statusMessage: string;
  readonly headers: RawHeaders;
}

/** Takes the body of one response. Its methods never throw. */
export interface Receiver {
  /** False: nothing more until `resume`. */
  take(chunk: Buffer): boolean;
  /** The response ended as HTTP wants it. */
  end(): void;
  /** It broke off. */
  cut(): void;
}

/** How a request ended. */
export interface CallEnd {
  /** 0: no response came. */
  readonly status: number;
  readonly bytes: number;
  /** Null when the response ended as it should; else a code, never an address. */
  readonly error: string | null;
}

/** A request on its way. */
export interface UpstreamCall {
  /** Ends it at once, whatever came so far. */
  abort(): void;
  /** Resolves in every case. */
  readonly ended: Promise<CallEnd>;
}

/** Sends a request upstream. `onHead` tells who takes the response, and is given what lets it flow again. */
export function callUpstream(
  pool: Dispatcher,
  outgoing: Outgoing,
  onHead: (head: Head, resume: () => void) => Receiver,
): UpstreamCall {
  let controller: Dispatcher.DispatchController | null = null;
  let receiver: Receiver | null = null;
  let isAborted = false;
  const ended = new Promise<CallEnd>((resolve) => {
    let status = 0;
    let bytes = 0;
    pool.dispatch(outgoing, {
      onRequestStart(started) {
        controller = started;
        if (isAborted) started.abort(new Error("aborted"));
      },
      onResponseStart(started, code, _headers, statusMessage) {
        if (code < 200 || isAborted) return;
        status = code;
        const head = { status, statusMessage: statusMessage ?? "", headers: toRawHeaders(started.rawHeaders) };
        receiver = onHead(head, () => started.resume());
      },
      onResponseData(started, chunk) {
        bytes += chunk.length;
        if (!isAborted && receiver?.take(chunk) === false) started.pause();
      },
      onResponseEnd() {
        receiver?.end();
        resolve({ status, bytes, error: null });
      },
      onResponseError(_controller, error) {
        receiver?.cut();
        resolve({ status, bytes, error: codeOf(error) });
      },
    });
  });
  return {
    ended,
    abort() {
      isAborted = true;
      controller?.abort(new Error("aborted"));
    },
  };
}

function toRawHeaders(raw: unknown): RawHeaders {
  if (!Array.isArray(raw)) return [];
  return raw.map((part: unknown) => (Buffer.isBuffer(part) ? part.toString("latin1") : String(part)));
}

function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{0,47}$/.test(code) ? code : "UNKNOWN";
}
