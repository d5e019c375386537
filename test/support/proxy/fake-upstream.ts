import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface FakeUpstream {
  readonly url: string;
  readonly port: number;
  /** Requests whose body came whole. */
  readonly received: Received[];
  close(): Promise<void>;
}

export type Responder = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

/** A plain server that records each request and lets `respond` answer it. */
export function startUpstream(respond: Responder = (response) => response.end("ok")): Promise<FakeUpstream> {
  const received: Received[] = [];
  return listen((request, response) => {
    void readAll(request).then((body) => {
      const entry = toReceived(request, body);
      received.push(entry);
      respond(response, entry, request);
    });
  }, received);
}

/** A plain server whose `respond` gets each request before its body. */
export function startEarlyUpstream(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<FakeUpstream> {
  return listen(respond, []);
}

/** Every byte of a stream. */
export async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch {
    // A cut request is never "received"; tests that look for cuts watch the sockets.
  }
  return Buffer.concat(chunks);
}

function toReceived(request: IncomingMessage, body: Buffer): Received {
  const { method = "", url = "", rawHeaders, headers } = request;
  return { method, url, rawHeaders, headers, body };
}

async function listen(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  received: Received[],
): Promise<FakeUpstream> {
  const server = createServer({ maxHeaderSize: 128 * 1024 }, onRequest);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
