import { once } from "node:events";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { connectTo, headOf, open, send } from "../../test/support/proxy/client.ts";
import { createFakeKeeper, type FakeKeeperParts } from "../../test/support/proxy/fake-keeper.ts";
import { readAll, startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createFakeWire } from "../../test/support/proxy/fake-wire.ts";
import { createStage, type Stage, TOKEN } from "../../test/support/proxy/stage.ts";
import { isDecodable } from "./content-coding.ts";
import { BODIES_HELD_MAX, REQUEST_BYTES_MAX } from "./limits.ts";

let stage: Stage | null = null;

afterEach(async () => {
  await stage?.close();
  stage = null;
});

async function raise(parts: FakeKeeperParts = {}) {
  const upstream = await startUpstream((response) => {
    response.setHeader("anthropic-ratelimit-tokens-limit", "1000");
    response.setHeader("anthropic-ratelimit-tokens-remaining", "250");
    response.end('{"id":"m1","output_tokens":7,"x":"[END]"}');
  });
  const keeper = createFakeKeeper(parts);
  const wire = createFakeWire();
  stage = await createStage(upstream, { keeper, wire });
  return { upstream, keeper, wire, port: stage.port };
}

async function proxyStats(port: number) {
  const got = await send(port, { path: "/stats", headers: ["Authorization", `Bearer ${TOKEN}`] });
  return JSON.parse(got.body.toString()).proxy;
}

const POST = { method: "POST", path: "/v1/messages?beta=true" };
const BODY = Buffer.from('{ "messages": [ 1.0, "\\ud800" ] }');
const PIECES = [Buffer.from('{ "mess'), Buffer.from(""), Buffer.from('ages": [] }')];

test("tells the keeper route, body, hints, agent and time", async () => {
  const { keeper, wire, port } = await raise();
  await send(port, { ...POST, headers: ["X-Session", "s1", "x-agent", "a1", "User-Agent", "cli/1"], body: BODY });
  await send(port, { method: "POST", path: "/v1/messages/count_tokens", body: BODY });
  expect(keeper.requests.map(({ body: _body, provider: _provider, ...rest }) => rest)).toEqual([
    {
      wire,
      route: { kind: "generate", model: null },
      hints: { tenant: "tenant", sessionId: "s1", agentId: "a1", parentAgentId: null },
      userAgent: "cli/1",
      isSubscription: false,
      atMs: 1_700_000_000_000,
    },
    expect.objectContaining({ route: { kind: "count", model: null }, userAgent: null }),
  ]);
  expect(keeper.requests.every((request) => BODY.equals(request.body))).toBe(true);
});

test("notes what a response tells of rate limits", async () => {
  const { port } = await raise();
  await send(port, { ...POST, body: BODY });
  expect((await proxyStats(port)).rate_limits).toEqual({ tokens: { first: 0.75, last: 0.75, highest: 0.75 } });
});

test("an unedited body goes out as it came, its coding included", async () => {
  const { upstream, keeper, port } = await raise();
  for (const [coding, bytes] of [
    ["gzip", gzipSync(BODY)],
    ["br", brotliCompressSync(BODY)],
    ["identity", BODY],
  ] as const) {
    await send(port, { ...POST, headers: ["Content-Encoding", coding], body: bytes });
    const received = upstream.received.pop();
    expect(received?.body.equals(bytes)).toBe(true);
    expect(received?.headers["content-encoding"]).toBe(coding);
    expect(received?.headers["content-length"]).toBe(String(bytes.length));
    expect(BODY.equals(keeper.requests.pop()?.body ?? BODY.subarray(1))).toBe(true);
  }
});

test("an edited body goes out in its pieces, with its own length and no coding", async () => {
  const { upstream, port } = await raise({ edit: () => PIECES });
  const headers = ["X-Before", "1", "Content-Encoding", "gzip", "Content-MD5", "old", "X-After", "2"];
  await send(port, { ...POST, headers, body: gzipSync(BODY) });
  const [received] = upstream.received;
  expect(received?.url).toBe(POST.path);
  expect(received?.body.toString()).toBe('{ "messages": [] }');
  expect(received?.headers["content-length"]).toBe("18");
  expect(received?.headers["content-encoding"]).toBeUndefined();
  expect(received?.headers["content-md5"]).toBeUndefined();
  expect(received?.headers["x-after"]).toBe("2");
});

test("an edited body goes out with what it needs in the headers, beside what the client states there", async () => {
  const headers = [{ name: "anthropic-beta", value: "own" }];
  const { upstream, port } = await raise({ edit: () => PIECES, headers });
  await send(port, { ...POST, headers: ["Anthropic-Beta", "theirs"], body: BODY });
  expect(upstream.received[0]?.headers["anthropic-beta"]).toBe("theirs,own");
});

test("a body as it came needs nothing in the headers", async () => {
  const { upstream, port } = await raise({ headers: [{ name: "anthropic-beta", value: "own" }] });
  await send(port, { ...POST, body: BODY });
  expect(upstream.received[0]?.headers["anthropic-beta"]).toBeUndefined();
});

test("an edited body of one piece goes out with its own length", async () => {
  const { upstream, port } = await raise({ edit: (body) => [Buffer.concat([body, Buffer.from(" ")])] });
  await send(port, { ...POST, headers: ["Transfer-Encoding", "chunked"], body: BODY });
  expect(upstream.received[0]?.body.toString()).toBe(`${BODY} `);
  expect(upstream.received[0]?.headers["content-length"]).toBe(String(BODY.length + 1));
  expect(upstream.received[0]?.headers["transfer-encoding"]).toBeUndefined();
});

test.each([
  ["compress", BODY, "content coding unknown"],
  ["gzip, br", BODY, "content coding unknown"],
  ["gzip", Buffer.from("damaged"), "content coding did not decode"],
  ["gzip", gzipSync(Buffer.alloc(REQUEST_BYTES_MAX + 1)), "decoded body over the limit"],
])("a body coded %s that cannot be read goes out as it came, and is counted", async (coding, bytes, reason) => {
  const { upstream, keeper, port } = await raise({ edit: () => PIECES });
  const got = await send(port, { ...POST, headers: ["Content-Encoding", coding], body: bytes });
  expect(got.status).toBe(200);
  expect(upstream.received[0]?.body.equals(bytes)).toBe(true);
  expect(upstream.received[0]?.headers["content-encoding"]).toBe(coding);
  expect(keeper.requests).toHaveLength(0);
  expect((await proxyStats(port)).unedited).toEqual({ [reason]: 1 });
});

test.skipIf(isDecodable("zstd"))("a zstd body goes out as it came where this Node cannot read it", async () => {
  const { upstream, port } = await raise({ edit: () => PIECES });
  await send(port, { ...POST, headers: ["Content-Encoding", "zstd"], body: BODY });
  expect(upstream.received[0]?.body.equals(BODY)).toBe(true);
  expect((await proxyStats(port)).unedited).toEqual({ "content coding unknown": 1 });
});

test("only the codings that can be read along are asked for", async () => {
  const { upstream, port } = await raise();
  await send(port, { ...POST, headers: ["Accept-Encoding", "gzip, dcz, br"], body: BODY });
  expect(upstream.received[0]?.headers["accept-encoding"]).toBe("gzip, br");
});

test("a body of 32 MB is read, edited and sent whole", async () => {
  const { upstream, keeper, port } = await raise({ edit: (body) => [body.subarray(0, 5), body.subarray(6)] });
  const body = Buffer.alloc(32 * 1024 * 1024, "0123456789");
  expect((await send(port, { ...POST, body })).status).toBe(200);
  expect(keeper.requests).toHaveLength(1);
  const expected = Buffer.concat([body.subarray(0, 5), body.subarray(6)]);
  expect(upstream.received[0]?.body.equals(expected)).toBe(true);
});

test("a refusal of the keeper is an error that clients of the wire try again", async () => {
  const { upstream, port } = await raise({ prepare: async () => ({ kind: "refuse", words: "the store is locked" }) });
  const got = await send(port, { ...POST, body: BODY });
  expect(got.status).toBe(503);
  expect(got.headers["retry-after"]).toBe("2");
  expect(got.headers["x-ebb-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.parse(got.body.toString())).toEqual({
    type: "error",
    error: { type: "unavailable", message: "the store is locked" },
  });
  expect(upstream.received).toHaveLength(0);
});

test.each([
  ["rejects", () => Promise.reject(new Error("secret s1"))],
  [
    "throws",
    () => {
      throw new TypeError("secret s1");
    },
  ],
])("a keeper that %s costs this request a retry, and nothing else", async (_how, prepare) => {
  const { port } = await raise({ prepare });
  const got = await send(port, { ...POST, body: BODY });
  expect(got.status).toBe(503);
  expect(got.headers["retry-after"]).toBe("2");
  expect(JSON.parse(got.body.toString()).error.type).toBe("unavailable");
  expect(`${got.body}${stage?.logText()}`).not.toContain("secret");
  expect((await proxyStats(port)).refused).toEqual({ fault: 1 });
  expect((await send(port, { path: "/v1/models" })).status).toBe(200);
});

test("a finish that rejects harms nobody", async () => {
  const { port } = await raise({ finish: () => Promise.reject(new Error("must not happen")) });
  const got = await send(port, { ...POST, body: BODY });
  expect(got.status).toBe(200);
  expect(got.body.toString()).toContain("[END]");
  expect((await send(port, { ...POST, body: BODY })).status).toBe(200);
});

test("the keeper learns usage and status once the response ended", async () => {
  const { keeper, wire, port } = await raise();
  await send(port, { ...POST, body: BODY });
  const { facts, status } = await keeper.nextFinish();
  expect(status).toBe(200);
  expect(facts).toMatchObject({ usage: { outputTokens: 7 }, messageId: "m1", isComplete: true });
  expect(wire.watched[0]?.isStreaming).toBe(false);
  expect(keeper.finishes()).toBe(1);
});

test("bodies beyond those that may be held are refused for now, and taken when one was given back", async () => {
  const { port } = await raise();
  const sockets = await Promise.all(Array.from({ length: BODIES_HELD_MAX }, () => sendHalf(port)));
  const refused = await send(port, { ...POST, body: BODY });
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.body.toString()).error.message).toContain("too many requests");
  expect((await proxyStats(port)).active).toBe(BODIES_HELD_MAX);
  const [first] = sockets;
  first?.write("lf");
  if (first !== undefined) await once(first, "data");
  expect((await send(port, { ...POST, body: BODY })).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

/** Sends a head and half a body, and waits until the proxy reads it (it says so by 100 Continue). */
async function sendHalf(port: number) {
  const socket = connectTo(port);
  socket.write(
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4\r\nConnection: close\r\n\r\nha",
  );
  await once(socket, "data");
  return socket;
}

test("a client that leaves inside its body is forgotten", async () => {
  const { upstream, keeper, port } = await raise();
  const socket = await sendHalf(port);
  socket.destroy();
  await once(socket, "close");
  const request = open(port, { ...POST, headers: ["Content-Length", "2"] });
  request.end("{}");
  await readAll(await headOf(request));
  expect(keeper.requests).toHaveLength(1);
  expect(upstream.received).toHaveLength(1);
  expect(await proxyStats(port)).toMatchObject({ client_left: 1, active: 0 });
});
