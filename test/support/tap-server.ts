import { createServer, request as openRequest } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the client sent it. */
export interface TappedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

/** Stands between a client and what it talks to, keeps what the client sent, and changes nothing. */
export interface TapServer {
  readonly url: string;
  readonly requests: readonly TappedRequest[];
  close(): Promise<void>;
}

/** Starts a tap on 127.0.0.1 in front of `target`, an origin. */
export async function startTapServer(target: string): Promise<TapServer> {
  const requests: TappedRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts);
      const path = request.url ?? "/";
      const method = request.method ?? "GET";
      requests.push({ method, path, body });
      const onward = openRequest(new URL(path, target), { method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      onward.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
