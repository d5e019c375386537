import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Dispatcher } from "undici";
import { expect, test } from "vitest";
import { connectTo } from "../../test/support/proxy/client.ts";
import { createSignal } from "../../test/support/proxy/signals.ts";
import { relay } from "./relay.ts";

const CHUNK = Buffer.alloc(16 * 1024 * 1024, "x");
const OUTGOING = { method: "GET", path: "/", headers: [], body: null };

/** An upstream that answers with one chunk and breaks off in the same moment. */
class BreakingUpstream extends Dispatcher {
  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = {
      aborted: false,
      paused: false,
      reason: null,
      rawHeaders: ["Content-Length", String(CHUNK.length + 1)],
      abort: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    };
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 200, {}, "OK");
    handler.onResponseData?.(controller, CHUNK);
    handler.onResponseError?.(controller, Object.assign(new Error("secret"), { code: "ECONNRESET" }));
    return true;
  }
}

test("everything that came before a cut reaches a client that was slow to take it", async () => {
  const isCut = createSignal();
  const server = createServer((_request, response: ServerResponse) => {
    void relay(new BreakingUpstream(), OUTGOING, response, () => null).then((end) => {
      expect(end).toEqual({ status: 200, bytes: CHUNK.length, error: "ECONNRESET", isClientGone: false });
      isCut.fire();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connectTo((server.address() as AddressInfo).port).pause();
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await isCut.fired;
  let got = 0;
  socket.on("data", (chunk: Buffer) => {
    got += chunk.length;
  });
  await once(socket.resume(), "end");
  expect(got).toBeGreaterThan(CHUNK.length);
  server.close();
});
