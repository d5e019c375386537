import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { connectTo, exchangeBytes, send } from "../../test/support/proxy/client.ts";
import { createFakeKeeper } from "../../test/support/proxy/fake-keeper.ts";
import { type FakeUpstream, readAll, startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createStage, type Stage, TOKEN } from "../../test/support/proxy/stage.ts";

let stage: Stage | null = null;

afterEach(async () => {
  await stage?.close();
  stage = null;
});

async function raise(url?: string) {
  const upstream = await startUpstream();
  stage = await createStage(upstream, url === undefined ? {} : { url });
  return { upstream, keeper: stage.keeper, port: stage.port };
}

const END = "Connection: close\r\n\r\n";

test.each([
  [
    "both lengths",
    `POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n${END}0\r\n\r\n`,
  ],
  ["two different lengths", `POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n${END}abcde`],
  ["a length that is no number", `POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n${END}abcd`],
  ["a space before the colon", `POST /x HTTP/1.1\r\nHost: a\r\nContent-Length : 4\r\n${END}abcd`],
  ["a folded header", `GET /x HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\tContent-Length: 4\r\n${END}`],
  ["a chunk size that is no number", `POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n${END}zz\r\n`],
  ["no HTTP at all", "hello\r\n\r\n"],
  ["two hosts", `GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n${END}`],
  ["no host", `GET /x HTTP/1.1\r\n${END}`],
])("a message with %s is refused, and never reaches the upstream", async (_what, bytes) => {
  const { upstream, port } = await raise();
  expect(await exchangeBytes(port, bytes)).toMatch(/^HTTP\/1\.1 400 /);
  expect(upstream.received).toHaveLength(0);
});

test("a transfer coding that is not only chunked is refused", async () => {
  const { upstream, port } = await raise();
  const bytes = `POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n${END}0\r\n\r\n`;
  expect(await exchangeBytes(port, bytes)).toMatch(/^HTTP\/1\.1 501 /);
  expect(upstream.received).toHaveLength(0);
});

test("headers beyond the limit are refused", async () => {
  const { port } = await raise();
  const bytes = `GET /x HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(70_000)}\r\n${END}`;
  expect(await exchangeBytes(port, bytes)).toMatch(/^HTTP\/1\.1 431 /);
});

test.each([...["http://evil.example/v1/messages", "https://evil.example/", "evil.example:443", "*", "@evil.example/"]])(
  "the target %s chooses no other upstream",
  async (target) => {
    const { upstream, port } = await raise();
    expect(
      await exchangeBytes(port, `POST ${target} HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n${END}`),
    ).toMatch(/^HTTP\/1\.1 400 /);
    expect(upstream.received).toHaveLength(0);
  },
);

test.each([
  ...["//evil.example/x", "/@evil.example", "/\\evil.example", "/http://evil.example/x", "/..//evil.example"],
])("the path %s stays a path on the configured upstream", async (path) => {
  const { upstream, port } = await raise();
  expect(await exchangeBytes(port, `GET ${path} HTTP/1.1\r\nHost: evil.example\r\n${END}`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(upstream.received[0]?.url).toBe(path);
  expect(upstream.received[0]?.headers.host).toBe(`127.0.0.1:${upstream.port}`);
});

test("a tunnel is not opened", async () => {
  const { upstream, port } = await raise();
  const answer = await exchangeBytes(port, "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n");
  expect(answer).not.toMatch(/ 200 /);
  expect(upstream.received).toHaveLength(0);
});

test("a WebSocket upgrade is refused with 426, in words", async () => {
  const { upstream, port } = await raise();
  const answer = await exchangeBytes(
    port,
    "GET /v1/responses HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 426 [\s\S]*upgrades are not carried/);
  expect(upstream.received).toHaveLength(0);
});

test("an offer to speak HTTP/2 is ignored, and not passed on", async () => {
  const { upstream, port } = await raise();
  const offer = "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n";
  expect(await exchangeBytes(port, `GET /x HTTP/1.1\r\nHost: a\r\n${offer}`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(upstream.received[0]?.rawHeaders.map((name) => name.toLowerCase())).not.toContain("upgrade");
  expect(upstream.received[0]?.headers["http2-settings"]).toBeUndefined();
});

test("an upstream that is down is told by its code, in the wire's shape on its routes", async () => {
  const { upstream, keeper, port } = await raise();
  await upstream.close();
  const claimed = await send(port, { method: "POST", path: "/v1/messages", body: Buffer.from('"s1"') });
  expect(claimed.status).toBe(502);
  expect(JSON.parse(claimed.body.toString())).toEqual({
    type: "error",
    error: { type: "unavailable", message: "the upstream gave no answer (ECONNREFUSED)" },
  });
  const other = await send(port, { path: "/v1/models" });
  expect(other.status).toBe(502);
  expect(`${claimed.body}${other.body}${stage?.logText()}`).not.toMatch(new RegExp(`s1|${upstream.port}`));
  expect(await keeper.nextFinish()).toMatchObject({ status: 0 });
  const stats = await send(port, { path: "/stats", headers: ["Authorization", `Bearer ${TOKEN}`] });
  expect(JSON.parse(stats.body.toString()).proxy).toMatchObject({
    answers: { "5xx": 2 },
    upstream_errors: { ECONNREFUSED: 2 },
  });
});

test.each([
  ["no HTTP", "not http at all\r\n\r\n"],
  ["a line break in a header", "HTTP/1.1 200 OK\r\nX-A: 1\u0000\r\nContent-Length: 0\r\n\r\n"],
  ["an impossible status", "HTTP/1.1 9999 OK\r\nContent-Length: 0\r\n\r\n"],
])("an upstream that answers %s gives a clear error, and the proxy lives", async (_what, bytes) => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined).once("data", () => socket.end(bytes, "latin1"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = await raise(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect((await send(port, { path: "/x" })).status).toBe(502);
  expect((await send(port, { path: "/healthz" })).status).toBe(200);
  server.close();
});

test("a client that ends its side inside a body harms nobody", async () => {
  const upstream: FakeUpstream = await startUpstream();
  const keeper = createFakeKeeper();
  stage = await createStage(upstream, { keeper });
  const socket = connectTo(stage.port);
  socket.write("POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab");
  socket.end();
  expect((await readAll(socket)).toString()).toMatch(/^(?:HTTP\/1\.1 400 |$)/);
  expect((await send(stage.port, { path: "/healthz" })).status).toBe(200);
  expect(keeper.requests).toHaveLength(0);
});

test("an upload that could not be carried is read away, so that its connection stays usable", async () => {
  const { upstream, port } = await raise();
  await upstream.close();
  const socket = connectTo(port);
  const length = 5_000_000;
  socket.write(`PUT /files HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`);
  const [refused] = await once(socket, "data");
  expect(String(refused)).toMatch(/^HTTP\/1\.1 502 /);
  socket.write(Buffer.alloc(length));
  socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${END}`);
  expect((await readAll(socket)).toString()).toMatch(/HTTP\/1\.1 200 OK/);
});
