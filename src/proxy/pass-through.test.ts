import { createHash } from "node:crypto";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { connectTo, headOf, open, send } from "../../test/support/proxy/client.ts";
import { createFakeKeeper } from "../../test/support/proxy/fake-keeper.ts";
import { type Responder, readAll, startEarlyUpstream, startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createSignal } from "../../test/support/proxy/signals.ts";
import { createStage, type Stage, TOKEN } from "../../test/support/proxy/stage.ts";
import { REQUEST_BYTES_MAX } from "./limits.ts";

let stage: Stage | null = null;

afterEach(async () => {
  await stage?.close();
  stage = null;
});

async function raise(respond?: Responder) {
  const upstream = await startUpstream(respond);
  stage = await createStage(upstream);
  return { upstream, port: stage.port, keeper: stage.keeper };
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

test("sends path, query, header order, spelling and duplicates as they came, with the upstream's own host", async () => {
  const { upstream, port } = await raise();
  await send(port, {
    method: "GET",
    path: "/v1/models/a%2Fb//c?x=1&x=2&y=%20#frag",
    headers: ["X-B", "2", "Authorization", "Bearer k", "x-a", "1", "X-B", "3", "X-Latin", "caf\u00e9"],
  });
  const [received] = upstream.received;
  expect(received?.url).toBe("/v1/models/a%2Fb//c?x=1&x=2&y=%20#frag");
  expect(received?.headers.host).toBe(`127.0.0.1:${upstream.port}`);
  const own = new Set(["host", "connection"]);
  const rest = received?.rawHeaders.filter((_, index, all) => !own.has((all[index - (index % 2)] ?? "").toLowerCase()));
  expect(rest).toEqual(["X-B", "2", "Authorization", "Bearer k", "x-a", "1", "X-B", "3", "X-Latin", "caf\u00e9"]);
});

test("puts the upstream's own path before the client's", async () => {
  const upstream = await startUpstream();
  stage = await createStage(upstream, { url: `${upstream.url}/anthropic/` });
  await send(stage.port, { path: "/v1/models?a=1" });
  expect(upstream.received[0]?.url).toBe("/anthropic/v1/models?a=1");
});

test("gives status, reason, header order and duplicates back as they came", async () => {
  const { port } = await raise((response) => {
    const cookies = ["Set-Cookie", "a=1; Path=/", "Retry-After", "17", "set-cookie", "b=2"];
    response.sendDate = false;
    response.writeHead(429, "Slow Down", [...cookies, "X-Unknown", "caf\u00e9", "Content-Length", "2"]);
    response.end(Buffer.from("no"));
  });
  const got = await send(port, { path: "/v1/anything" });
  expect(got.status).toBe(429);
  expect(got.statusMessage).toBe("Slow Down");
  expect(got.body.toString()).toBe("no");
  expect(got.rawHeaders.slice(0, 10)).toEqual([
    ...["Set-Cookie", "a=1; Path=/", "Retry-After", "17", "set-cookie", "b=2", "X-Unknown", "caf\u00e9"],
    ...["Content-Length", "2"],
  ]);
  expect(got.headers.date).toBeUndefined();
});

test("neither decodes nor encodes a compressed response", async () => {
  const packed = gzipSync("packed");
  const { port } = await raise((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed));
  const got = await send(port, { path: "/x", headers: ["Accept-Encoding", "gzip, zstd"] });
  expect(got.headers["content-encoding"]).toBe("gzip");
  expect(got.body.equals(packed)).toBe(true);
  expect(stage?.keeper.requests).toHaveLength(0);
});

test("leaves accept-encoding alone where nothing is read along", async () => {
  const { upstream, port } = await raise();
  await send(port, { path: "/x", headers: ["Accept-Encoding", "gzip, zstd"] });
  expect(upstream.received[0]?.headers["accept-encoding"]).toBe("gzip, zstd");
});

test.each([
  ["HEAD", 200],
  ["GET", 204],
  ["GET", 304],
])("carries %s answered by %i without a body", async (method, status) => {
  const { port } = await raise((response) => response.writeHead(status, { etag: "x", "content-length": 5 }).end());
  const got = await send(port, { method, path: "/x" });
  expect(got.status).toBe(status);
  expect(got.headers.etag).toBe("x");
  expect(got.body).toHaveLength(0);
  expect((await send(port, { method, path: "/x" })).status).toBe(status);
});

test("an informational answer is not taken for the answer", async () => {
  const { port } = await raise((response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.writeProcessing();
    response.end("final");
  });
  expect((await send(port, { path: "/x" })).body.toString()).toBe("final");
});

test("answers Expect itself, and does not pass it on", async () => {
  const { upstream, port } = await raise();
  const request = open(port, {
    method: "POST",
    path: "/x",
    headers: ["Expect", "100-continue", "Content-Length", "2"],
  });
  request.flushHeaders();
  await once(request, "continue");
  request.end("hi");
  await readAll(await headOf(request));
  expect(upstream.received[0]?.body.toString()).toBe("hi");
  expect(upstream.received[0]?.headers.expect).toBeUndefined();
});

test("a body over the limit streams through unread, whether its length is stated or not", async () => {
  const { upstream, port, keeper } = await raise();
  const body = Buffer.alloc(REQUEST_BYTES_MAX + 5, "long body ");
  await send(port, { method: "POST", path: "/v1/messages", body });
  await send(port, { method: "POST", path: "/v1/messages", headers: ["Transfer-Encoding", "chunked"], body });
  expect(upstream.received.map((received) => digestOf(received.body))).toEqual([digestOf(body), digestOf(body)]);
  expect(keeper.requests).toHaveLength(0);
  const stats = await send(port, { path: "/stats", headers: ["Authorization", `Bearer ${TOKEN}`] });
  expect(JSON.parse(stats.body.toString()).proxy.unedited).toEqual({ "body over the limit": 2 });
});

test("an upload reaches the upstream while the client still sends", async () => {
  const isSeen = createSignal();
  const upstream = await startEarlyUpstream((request, response) => {
    request.once("data", isSeen.fire);
    void readAll(request).then((body) => response.end(`${body.length}`));
  });
  stage = await createStage(upstream);
  const request = open(stage.port, { method: "PUT", path: "/files", headers: ["Content-Length", "10"] });
  request.write("first");
  await isSeen.fired;
  request.end("rest.");
  expect((await readAll(await headOf(request))).toString()).toBe("10");
});

test("a claimed body that says it is over the limit is not held at all", async () => {
  const isSeen = createSignal();
  const upstream = await startEarlyUpstream((request) => request.once("data", isSeen.fire));
  stage = await createStage(upstream);
  const headers = ["Content-Length", String(REQUEST_BYTES_MAX + 1)];
  const request = open(stage.port, { method: "POST", path: "/v1/messages", headers });
  request.on("error", () => undefined).write("first");
  await isSeen.fired;
  request.destroy();
});

test("an early answer to an upload still reaches the client, and the connection stays usable", async () => {
  const upstream = await startEarlyUpstream((_request, response) => response.writeHead(413).end("too large"));
  stage = await createStage(upstream);
  const request = open(stage.port, { method: "PUT", path: "/files", headers: ["Transfer-Encoding", "chunked"] });
  request.on("error", () => undefined);
  request.write(Buffer.alloc(1_000_000));
  const response = await headOf(request);
  expect(response.statusCode).toBe(413);
  expect((await readAll(response)).toString()).toBe("too large");
  request.end();
});

test("a client that does not take the response holds the upstream back", async () => {
  const isBlocked = createSignal();
  let sent = 0;
  const total = 64 * 1024 * 1024;
  const { port } = await raise((response) => {
    const piece = Buffer.alloc(64 * 1024, "x");
    const fill = () => {
      while (sent < total) {
        sent += piece.length;
        if (!response.write(piece)) {
          response.once("drain", fill);
          // The kernel's buffers fill in a few rounds; the upstream is held when a round brings no drain.
          void heldBack(response).then((isHeld) => isHeld && isBlocked.fire());
          return;
        }
      }
      response.end();
    };
    fill();
  });
  const socket = connectTo(port);
  socket.pause();
  socket.write("GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  await isBlocked.fired;
  expect(sent).toBeLessThan(total / 2);
  socket.resume();
  let got = 0;
  socket.on("data", (chunk: Buffer) => {
    got += chunk.length;
  });
  await once(socket, "end");
  expect(sent).toBe(total);
  expect(got).toBeGreaterThan(total);
});

/** True when so many turns of the event loop passed without the other side taking anything. */
async function heldBack(response: { writableLength: number; writableNeedDrain: boolean }): Promise<boolean> {
  const before = response.writableLength;
  for (let turn = 0; turn < 3000; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!response.writableNeedDrain) return false;
  }
  return response.writableLength === before;
}

test("nothing of a request or response is logged", async () => {
  const { port } = await raise((response) => response.writeHead(200, { "x-secret-2": "s3" }).end("s4"));
  await send(port, {
    method: "POST",
    path: "/v1/s1?key=s2",
    headers: ["Authorization", "Bearer s5"],
    body: Buffer.from("s6"),
  });
  const log = stage?.logText() ?? "";
  expect(log).toContain("request carried");
  expect(log).not.toMatch(/"?s[1-6]\b|x-secret|Bearer|127\.0\.0\.1/);
});

test("the keeper is not asked about other routes", async () => {
  const keeper = createFakeKeeper();
  const upstream = await startUpstream();
  stage = await createStage(upstream, { keeper });
  await send(stage.port, { method: "GET", path: "/v1/messages" });
  await send(stage.port, { method: "POST", path: "/v1/messages/batches", body: Buffer.from("{}") });
  expect(keeper.requests).toHaveLength(0);
  expect(upstream.received).toHaveLength(2);
});
