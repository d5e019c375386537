import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import type { RawHeaders } from "./headers.ts";
import { toClientHeaders } from "./headers.ts";
import type { Tap } from "./tap.ts";
import {
  type CallEnd,
  callUpstream,
  type Head,
  type Outgoing,
  type Receiver,
  type UpstreamCall,
} from "./upstream-call.ts";

/** How an exchange with the upstream ended. */
export interface RelayEnd extends CallEnd {
  readonly isClientGone: boolean;
}

/** The code of an exchange whose client left before its end. */
export const CLIENT_LEFT = "CLIENT_LEFT";

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
  return callFor(response, () =>
    callUpstream(pool, outgoing, (head, resume) =>
      toClient({ response, method: outgoing.method, tap: chooseTap(head.status, head.headers) }, head, resume),
    ),
  );
}

/** Makes a call as long as its client is there. */
export async function callFor(response: ServerResponse, call: () => UpstreamCall): Promise<RelayEnd> {
  if (response.destroyed) return { status: 0, bytes: 0, error: CLIENT_LEFT, isClientGone: true };
  const under = call();
  let isClientGone = false;
  const onClose = () => {
    if (response.writableEnded) return;
    isClientGone = true;
    under.abort();
  };
  response.once("close", onClose);
  const end = await under.ended;
  response.off("close", onClose);
  if (isClientGone) return { ...end, error: CLIENT_LEFT, isClientGone };
  return { ...end, error: response.writableEnded ? null : end.error, isClientGone };
}

/** The client a response goes to. */
export interface ClientSide {
  readonly response: ServerResponse;
  /** Of its request. */
  readonly method: string;
  readonly tap: Tap | null;
}

/** Gives a response to the client as it comes. */
export function toClient({ response, method, tap }: ClientSide, head: Head, resume: () => void): Receiver {
  writeHead(response, head, toClientHeaders(head.headers));
  if (isBodyless(method, head.status)) response.end();
  response.on("drain", resume);
  return {
    take(chunk) {
      const isMoreWanted = response.write(chunk);
      tap?.push(chunk);
      return isMoreWanted;
    },
    end() {
      response.off("drain", resume).end();
    },
    cut() {
      response.off("drain", resume);
      if (!response.writableEnded) cut(response);
    },
  };
}

/** Sends the head at once. */
export function writeHead(response: ServerResponse, head: Head, headers: string[]): void {
  response.sendDate = false;
  response.writeHead(head.status, head.statusMessage, headers);
  // flushHeaders() would encode it as UTF-8; header bytes are latin1.
  response.write(NOTHING);
}

/** What came before the cut still reaches the client; then its connection ends without the end of a message. */
export function cut(response: ServerResponse): void {
  if (response.socket === null) response.destroy();
  else response.socket.destroySoon();
}

const NOTHING = Buffer.alloc(0);

/** Such a response may state the length of a body that does not follow. */
function isBodyless(method: string, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}
