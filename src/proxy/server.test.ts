import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { connectTo, headOf, nextChunk, open, send } from "../../test/support/proxy/client.ts";
import { createFakeKeeper } from "../../test/support/proxy/fake-keeper.ts";
import { type FakeUpstream, readAll, startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createFakeWire } from "../../test/support/proxy/fake-wire.ts";
import { createQueue, createSignal } from "../../test/support/proxy/signals.ts";
import { createStage, TOKEN } from "../../test/support/proxy/stage.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { EXCHANGES_MAX, UPSTREAM_IDLE_MS } from "./limits.ts";
import { createProxy } from "./proxy.ts";
import { createPatientServer, startProxy } from "./server.ts";

let upstream: FakeUpstream | null = null;

afterEach(async () => {
  await upstream?.close();
  upstream = null;
});

const parts = {
  host: "127.0.0.1",
  wires: [createFakeWire()],
  providerOf: () => anthropicProvider,
  tenant: "tenant",
  token: TOKEN,
  log: pino({ level: "silent" }),
  version: "1",
};

async function raise(keeper = createFakeKeeper()) {
  const responses = createQueue<ServerResponse>();
  upstream = await startUpstream((response) => responses.put(response));
  const stage = await createStage(upstream, { keeper });
  return { stage, responses, keeper, port: stage.port };
}

function ask(port: number) {
  const request = open(port, { method: "POST", path: "/v1/messages", headers: ["Content-Length", "2"] });
  request.on("error", () => undefined).end("{}");
  return request;
}

test("says where it listens", async () => {
  const keeper = createFakeKeeper();
  const proxy = await startProxy({ ...parts, port: 0, keeper, upstream: "http://127.0.0.1:9" });
  expect(proxy.port).toBeGreaterThan(0);
  expect(proxy.url).toBe(`http://127.0.0.1:${proxy.port}`);
  await proxy.close();
});

test("a taken port is an error of its own", async () => {
  const config = { ...parts, keeper: createFakeKeeper(), upstream: "http://127.0.0.1:9" };
  const first = await startProxy({ ...config, port: 0 });
  await expect(startProxy({ ...config, port: first.port })).rejects.toMatchObject({
    code: "address_in_use",
    message: expect.stringContaining(String(first.port)),
  });
  await first.close();
});

test("a host that is none of this machine is an error of the configuration", async () => {
  const config = { ...parts, host: "192.0.2.1", port: 0, keeper: createFakeKeeper(), upstream: "http://127.0.0.1:9" };
  await expect(startProxy(config)).rejects.toMatchObject({ code: "config_invalid" });
});

test("no total time ends an upload or a stream, only a silence longer than the upstream's own", () => {
  const server = createPatientServer(() => undefined);
  expect(server.requestTimeout).toBe(0);
  expect(server.timeout).toBeGreaterThan(UPSTREAM_IDLE_MS);
  expect(server.headersTimeout).toBeGreaterThan(0);
  expect(server.maxConnections).toBeGreaterThan(0);
});

test("close lets a stream end, refuses what comes meanwhile, and waits for the keeper", async () => {
  const isFinishing = createSignal();
  const mayFinish = createSignal();
  const finish = async () => {
    isFinishing.fire();
    await mayFinish.fired;
  };
  const { stage, responses, keeper, port } = await raise(createFakeKeeper({ finish }));
  const request = ask(port);
  const response = await responses.take();
  response.writeHead(200).write("first");
  const got = await headOf(request);
  await nextChunk(got);
  let isClosed = false;
  const closed = stage.proxy.close(60_000).then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => connectTo(port).once("close", resolve));
  response.end(" last");
  expect((await readAll(got)).toString()).toBe(" last");
  await isFinishing.fired;
  expect(isClosed).toBe(false);
  mayFinish.fire();
  await closed;
  expect(keeper.finishes()).toBe(1);
});

test("what comes while the proxy closes is refused for now", async () => {
  const responses = createQueue<ServerResponse>();
  upstream = await startUpstream((response) => responses.put(response));
  const proxy = createProxy({ ...parts, keeper: createFakeKeeper(), upstream: upstream.url });
  const { port, end } = await serve(proxy.handle);
  const first = ask(port);
  const response = await responses.take();
  const closed = proxy.close(60_000);
  const refused = await send(port, { method: "POST", path: "/v1/messages", body: Buffer.from("{}") });
  expect(refused.status).toBe(503);
  expect(refused.headers["retry-after"]).toBe("2");
  expect(refused.body.toString()).toContain("shutting down");
  response.end("ok");
  expect((await readAll(await headOf(first))).toString()).toBe("ok");
  await closed;
  end();
});

test("close does not wait for a client that keeps its connection", async () => {
  const { stage, responses, port } = await raise();
  const socket = connectTo(port);
  socket.write("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const response = await responses.take();
  const closed = stage.proxy.close(60_000);
  response.end("ok");
  expect((await readAll(socket)).toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*keep-alive/i);
  await closed;
});

test("more requests than allowed at one time are refused for now", async () => {
  const isFull = createSignal();
  let asked = 0;
  const storeSize = () => {
    asked += 1;
    if (asked === EXCHANGES_MAX) isFull.fire();
    return new Promise<never>(() => undefined);
  };
  upstream = await startUpstream();
  const proxy = createProxy({ ...parts, keeper: createFakeKeeper({ storeSize }), upstream: upstream.url });
  const { port, end } = await serve(proxy.handle);
  const text = `GET /stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
  connectTo(port).write(text.repeat(EXCHANGES_MAX));
  await isFull.fired;
  const refused = await send(port, { path: "/x" });
  expect(refused.status).toBe(503);
  expect(refused.body.toString()).toContain("too many requests");
  end();
});

test("close cuts what outlasts its grace, upstream and client, and the keeper still learns of it", async () => {
  const { stage, responses, keeper, port } = await raise();
  const request = ask(port);
  const response = await responses.take();
  response.writeHead(200).write("first");
  const got = await headOf(request);
  await nextChunk(got);
  const isCancelled = once(response, "close");
  const isCut = once(got, "error");
  got.resume();
  await stage.proxy.close(0);
  await isCancelled;
  await isCut;
  expect(keeper.finishes()).toBe(1);
  expect(await keeper.nextFinish()).toMatchObject({ status: 200, facts: { isComplete: false } });
});

test("a fault after the end of a response never cuts it", async () => {
  upstream = await startUpstream();
  const finish = () => Promise.reject(new Error("must not happen"));
  const proxy = createProxy({ ...parts, keeper: createFakeKeeper({ finish }), upstream: upstream.url });
  const destroyed = vi.fn();
  const { port, end } = await serve((request, response) => {
    const destroy = response.destroy.bind(response);
    response.destroy = (error) => {
      destroyed();
      return destroy(error);
    };
    proxy.handle(request, response);
  });
  expect((await send(port, { method: "POST", path: "/v1/messages", body: Buffer.from("{}") })).body.toString()).toBe(
    "ok",
  );
  await proxy.close(60_000);
  expect(destroyed).not.toHaveBeenCalled();
  end();
});

test("close waits until the client was given the whole response", async () => {
  upstream = await startUpstream((response) => response.writeHead(200, { "transfer-encoding": "chunked" }).end("ok"));
  const keeper = createFakeKeeper();
  const proxy = createProxy({ ...parts, keeper, upstream: upstream.url });
  const isHeld = createSignal();
  let handOver = () => undefined as unknown;
  const { port, end } = await serve((request, response) => {
    const endResponse = response.end.bind(response);
    response.end = () => {
      handOver = endResponse;
      isHeld.fire();
      return response;
    };
    proxy.handle(request, response);
  });
  const head = headOf(ask(port));
  await isHeld.fired;
  await keeper.nextFinish();
  let isClosed = false;
  const closed = proxy.close(60_000).then(() => {
    isClosed = true;
  });
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(false);
  handOver();
  await readAll(await head);
  await closed;
  end();
});

async function serve(handle: RequestListener) {
  const server = createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const end = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, end };
}
