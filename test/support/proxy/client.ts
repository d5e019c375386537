import { type ClientRequest, type IncomingMessage, request as openRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { readAll } from "./fake-upstream.ts";

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Names and values in turn, as they go on the wire. */
  readonly headers?: readonly string[];
  readonly body?: Uint8Array;
}

export interface Got {
  readonly status: number;
  readonly statusMessage: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Sends one request on a connection of its own; the caller ends it and reads the response. */
export function open(port: number, sent: Sent): ClientRequest {
  const { method = "GET", path = "/", headers = [] } = sent;
  return openRequest({ host: "127.0.0.1", port, method, path, headers: withHost(headers, port), agent: false });
}

/** The response's head. */
export function headOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve).once("error", reject);
  });
}

/** Sends one request and reads its whole response. */
export async function send(port: number, sent: Sent): Promise<Got> {
  const request = open(port, withLength(sent));
  request.end(sent.body);
  const response = await headOf(request);
  const body = await readAll(response);
  const { statusCode = 0, statusMessage = "", rawHeaders, headers } = response;
  return { status: statusCode, statusMessage, rawHeaders, headers, body };
}

/** Writes bytes to a connection and gives everything that comes back until the other side ends it. */
export async function exchangeBytes(port: number, bytes: string): Promise<string> {
  const socket = connectTo(port);
  socket.write(bytes, "latin1");
  return (await readAll(socket)).toString("latin1");
}

/** A bare connection. */
export function connectTo(port: number): Socket {
  return connect({ host: "127.0.0.1", port }).on("error", () => undefined);
}

/** The next bytes of a stream. */
export function nextChunk(stream: NodeJS.ReadableStream): Promise<Buffer> {
  return new Promise((resolve) => {
    stream.once("data", (chunk: Buffer) => {
      stream.pause();
      resolve(chunk);
    });
    stream.resume();
  });
}

function withHost(headers: readonly string[], port: number): string[] {
  const hasHost = headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  return hasHost ? [...headers] : ["Host", `127.0.0.1:${port}`, ...headers];
}

function withLength(sent: Sent): Sent {
  if (sent.body === undefined || sent.headers?.includes("Transfer-Encoding") === true) return sent;
  return { ...sent, headers: [...(sent.headers ?? []), "Content-Length", String(sent.body.length)] };
}
