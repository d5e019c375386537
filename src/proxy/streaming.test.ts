import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { constants, createGunzip, createGzip } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { connectTo, headOf, nextChunk, open, send } from "../../test/support/proxy/client.ts";
import { createFakeKeeper } from "../../test/support/proxy/fake-keeper.ts";
import { readAll, startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createFakeWire } from "../../test/support/proxy/fake-wire.ts";
import { createQueue, createSignal } from "../../test/support/proxy/signals.ts";
import { createStage, type Stage } from "../../test/support/proxy/stage.ts";

let stage: Stage | null = null;

afterEach(async () => {
  await stage?.close();
  stage = null;
});

/** A stage whose upstream hands each response to the test after the request came whole. */
async function raise(wire = createFakeWire()) {
  const responses = createQueue<ServerResponse>();
  const upstream = await startUpstream((response) => responses.put(response));
  const keeper = createFakeKeeper();
  stage = await createStage(upstream, { keeper, wire });
  return { upstream, responses, keeper, wire, port: stage.port };
}

function ask(port: number, headers: readonly string[] = []) {
  const request = open(port, { method: "POST", path: "/v1/messages", headers: [...headers, "Content-Length", "2"] });
  request.on("error", () => undefined).end("{}");
  return request;
}

const STREAM = { "content-type": "text/event-stream; charset=utf-8" };

test("each chunk reaches the client before the upstream sends the next", async () => {
  const { responses, keeper, wire, port } = await raise();
  const request = ask(port);
  const upstream = await responses.take();
  upstream.writeHead(200, STREAM).flushHeaders();
  const response = await headOf(request);
  for (const event of ["data: 1\n\n", 'data: {"output_tokens":3}\n\n', "data: [END]\n\n"]) {
    upstream.write(event);
    expect((await nextChunk(response)).toString()).toBe(event);
  }
  upstream.end();
  await readAll(response);
  expect(await keeper.nextFinish()).toMatchObject({
    status: 200,
    facts: { usage: { outputTokens: 3 }, isComplete: true },
  });
  expect(wire.watched[0]?.isStreaming).toBe(true);
});

test("characters split between chunks pass as they came, byte by byte", async () => {
  const { responses, wire, keeper, port } = await raise();
  const request = ask(port);
  const upstream = await responses.take();
  upstream.writeHead(200, STREAM).flushHeaders();
  const response = await headOf(request);
  const bytes = Buffer.from("data: 🌊ü\n\n");
  const got: Buffer[] = [];
  for (const byte of bytes) {
    upstream.write(Uint8Array.of(byte));
    got.push(await nextChunk(response));
  }
  upstream.end();
  await readAll(response);
  await keeper.nextFinish();
  expect(got.map((chunk) => chunk.length)).toEqual(Array.from(bytes, () => 1));
  expect(Buffer.concat(got).equals(bytes)).toBe(true);
  expect(Buffer.concat(wire.watched[0]?.chunks ?? []).equals(bytes)).toBe(true);
});

test("a compressed stream passes compressed, chunk by chunk, and its usage is still seen", async () => {
  const { responses, keeper, port } = await raise();
  const request = ask(port, ["Accept-Encoding", "gzip"]);
  const upstream = await responses.take();
  upstream.writeHead(200, { ...STREAM, "content-encoding": "gzip" });
  const packer = createGzip({ flush: constants.Z_SYNC_FLUSH });
  packer.pipe(upstream);
  packer.write('data: {"output_tokens":41}\n\n');
  const response = await headOf(request);
  expect(response.headers["content-encoding"]).toBe("gzip");
  const reader = response.pipe(createGunzip());
  expect((await nextChunk(reader)).toString()).toBe('data: {"output_tokens":41}\n\n');
  packer.end("data: [END]\n\n");
  await readAll(reader);
  expect((await keeper.nextFinish()).facts).toMatchObject({ usage: { outputTokens: 41 }, isComplete: true });
});

test("a client that leaves ends the request upstream at once, and the keeper learns of it", async () => {
  const { responses, keeper, port } = await raise();
  const request = ask(port);
  const upstream = await responses.take();
  upstream.writeHead(200, STREAM).write('data: {"output_tokens":2}\n\n');
  await nextChunk(await headOf(request));
  const isCancelled = once(upstream, "close");
  request.destroy();
  await isCancelled;
  expect(upstream.writableFinished).toBe(false);
  const { facts, status } = await keeper.nextFinish();
  expect(status).toBe(200);
  expect(facts).toMatchObject({ usage: { outputTokens: 2 }, isComplete: false });
});

test("a client that leaves before the response began ends the request upstream too", async () => {
  const { responses, keeper, port } = await raise();
  const request = ask(port);
  const upstream = await responses.take();
  const isCancelled = once(upstream, "close");
  request.destroy();
  await isCancelled;
  expect(await keeper.nextFinish()).toMatchObject({ status: 0, facts: { usage: null, isComplete: false } });
});

test.each([
  ["chunked", {}],
  ["of a stated length", { "content-length": 1000 }],
])("a response %s that is cut upstream is cut for the client, after what came before", async (_how, framing) => {
  const { responses, keeper, port } = await raise();
  const request = ask(port);
  const upstream = await responses.take();
  upstream.writeHead(200, { ...STREAM, ...framing }).write("data: [END] 1\n\n");
  const response = await headOf(request);
  expect((await nextChunk(response)).toString()).toBe("data: [END] 1\n\n");
  const isCut = once(response, "error");
  upstream.destroy();
  response.resume();
  expect(await isCut).toMatchObject([{ code: "ECONNRESET" }]);
  expect(response.complete).toBe(false);
  expect(await keeper.nextFinish()).toMatchObject({ status: 200, facts: { isComplete: false } });
});

test("an upstream that closes without an answer is told by its code alone, and the keeper learns status 0", async () => {
  const { upstream: server, responses, keeper, port } = await raise();
  const request = ask(port, ["Authorization", "Bearer s1"]);
  (await responses.take()).destroy();
  const response = await headOf(request);
  expect(response.statusCode).toBe(502);
  const body = (await readAll(response)).toString();
  expect(JSON.parse(body)).toMatchObject({
    type: "error",
    error: { message: expect.stringContaining("UND_ERR_SOCKET") },
  });
  expect(`${body}${stage?.logText()}`).not.toMatch(new RegExp(`s1|${server.port}`));
  expect(await keeper.nextFinish()).toMatchObject({ status: 0, facts: { usage: null, isComplete: false } });
});

test("an error of the provider passes as it came", async () => {
  const { responses, keeper, port } = await raise();
  const request = ask(port);
  const error = '{"type":"error","error":{"type":"overloaded_error"}}';
  const headers = { "retry-after": "9", "x-should-retry": "true", "request-id": "req_1" };
  (await responses.take()).writeHead(529, headers).end(error);
  const response = await headOf(request);
  expect(response.statusCode).toBe(529);
  expect(response.headers).toMatchObject(headers);
  expect((await readAll(response)).toString()).toBe(error);
  expect((await keeper.nextFinish()).status).toBe(529);
});

test("a watcher that fails does not touch the stream", async () => {
  const wire = createFakeWire();
  const failing = {
    push() {
      throw new Error("a fault of the watcher");
    },
    finish: () => {
      throw new Error("a fault of the watcher");
    },
  };
  const { responses, keeper, port } = await raise({ ...wire, watch: () => failing });
  const request = ask(port);
  (await responses.take()).writeHead(200, STREAM).end("data: 1\n\n");
  expect((await readAll(await headOf(request))).toString()).toBe("data: 1\n\n");
  expect(await keeper.nextFinish()).toMatchObject({ status: 200, facts: { usage: null, isComplete: false } });
});

test("two streams at once do not wait for each other", async () => {
  const { responses, port } = await raise();
  const [first, second] = [ask(port), ask(port)];
  const [one, two] = [await responses.take(), await responses.take()];
  two.writeHead(200, STREAM).end("two");
  one.writeHead(200, STREAM).end("one");
  const bodies = await Promise.all([first, second].map(async (request) => readAll(await headOf(request))));
  expect(bodies.map(String).sort()).toEqual(["one", "two"]);
});

test("a keep-alive connection serves one stream after another", async () => {
  const { responses, port } = await raise();
  const socket = connectTo(port);
  const text = "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
  for (const turn of ["first", "second"]) {
    socket.write(text);
    const isDone = createSignal();
    let got = "";
    const onData = (chunk: Buffer) => {
      got += chunk.toString("latin1");
      if (got.endsWith("\r\n0\r\n\r\n")) isDone.fire();
    };
    socket.on("data", onData);
    (await responses.take()).writeHead(200, STREAM).end(turn);
    await isDone.fired;
    socket.off("data", onData);
    expect(got).toContain(turn);
  }
  socket.destroy();
  expect((await send(port, { path: "/healthz" })).status).toBe(200);
});
