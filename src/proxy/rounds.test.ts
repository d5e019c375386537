import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { connectTo, nextChunk } from "../../test/support/proxy/client.ts";
import { eventOf } from "../../test/support/proxy/fake-inline.ts";
import { ask, OWN_TOOL, stageForEach } from "../../test/support/proxy/inline-stage.ts";
import { createSignal } from "../../test/support/proxy/signals.ts";
import { BODY_BYTES_HELD_MAX } from "./limits.ts";

const STREAM = { "content-type": "text/event-stream" };
const CALLED = eventOf("call", OWN_TOOL) + eventOf("stop", "");
const STOP = eventOf("stop", "[END]");

const raise = stageForEach();

describe("a response that cannot be followed reaches the client as it came", () => {
  test.each([
    [429, { "content-type": "application/json", "retry-after": "3" }, '{"type":"error"}'],
    [200, { "content-type": "text/plain" }, "plain"],
    [200, {}, CALLED],
    [200, { ...STREAM, "content-encoding": "gzip" }, gzipSync(CALLED)],
    [204, STREAM, ""],
  ])("status %i, headers %j", async (status, headers, body) => {
    const on = await raise();
    const asked = ask(on.port);
    (await on.responses.take()).writeHead(status, headers).end(body);
    const response = await asked.head;
    expect(response.statusCode).toBe(status);
    expect(response.headers).toMatchObject(headers);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(Buffer.from(body))).toBe(true);
    expect(await on.finished.take()).toMatchObject({ request: 1, status });
    expect([on.pins, on.closed]).toEqual([[], []]);
  });

  test("at once, where it is JSON in a coding that nobody here reads", async () => {
    const on = await raise();
    const asked = ask(on.port);
    const upstream = await on.responses.take();
    const bytes = gzipSync("{}");
    upstream.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    upstream.write(bytes.subarray(0, 5));
    const response = await asked.head;
    expect(await nextChunk(response)).toEqual(bytes.subarray(0, 5));
    upstream.end(bytes.subarray(5));
    expect(await nextChunk(response)).toEqual(bytes.subarray(5));
  });

  test("an upstream that gives no answer is told by its code", async () => {
    const on = await raise();
    const asked = ask(on.port);
    (await on.responses.take()).destroy();
    expect((await asked.head).statusCode).toBe(502);
    expect(await on.finished.take()).toMatchObject({ request: 1, status: 0 });
  });
});

test("a request that only counts tokens is never followed", async () => {
  const on = await raise();
  const asked = ask(on.port, { path: "/v1/messages/count_tokens" });
  (await on.responses.take()).writeHead(200, STREAM).end(CALLED);
  expect(await asked.text()).toBe(CALLED);
});

test("further bodies count among those that may be held, as long as they are", async () => {
  const next = Buffer.alloc(1);
  Object.defineProperty(next, "length", { value: BODY_BYTES_HELD_MAX });
  const on = await raise({
    pin: async (prepared) => ({ ok: true, next: { ...prepared, body: [next] } }),
  });
  const asked = ask(on.port);
  (await on.responses.take()).writeHead(200, STREAM).end(CALLED);
  expect(await asked.text()).toContain("too many bytes of requests");
  expect(on.upstream.received).toHaveLength(1);
  expect(await on.finished.take()).toMatchObject({ request: 1 });
  expect(await on.finished.take()).toMatchObject({ request: 2, status: 0 });
});

test("a client that does not take the message holds the upstream back, in each round", async () => {
  const on = await raise();
  const socket = connectTo(on.port);
  socket.pause();
  socket.write("POST /v1/messages HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
  (await on.responses.take()).writeHead(200, STREAM).end(CALLED);
  const upstream = (await on.responses.take()).writeHead(200, STREAM);
  const event = eventOf("say", "x".repeat(64 * 1024));
  const total = 32 * 1024 * 1024;
  let sent = 0;
  const isBlocked = createSignal();
  const fill = () => {
    while (sent < total) {
      sent += event.length;
      if (upstream.write(event)) continue;
      upstream.once("drain", fill);
      void heldBack(upstream).then((isHeld) => isHeld && isBlocked.fire());
      return;
    }
    upstream.end(STOP);
  };
  fill();
  await isBlocked.fired;
  expect(sent).toBeLessThan(total);
  let got = 0;
  socket.on("data", (chunk: Buffer) => {
    got += chunk.length;
  });
  socket.resume();
  await once(socket, "end");
  expect(sent).toBeGreaterThanOrEqual(total);
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

describe("closing the proxy", () => {
  test("waits for a message that is in a further round", async () => {
    const mayAnswer = createSignal();
    const isAsked = createSignal();
    const on = await raise({
      async answerTool() {
        isAsked.fire();
        await mayAnswer.fired;
        return { content: [], failure: null };
      },
    });
    const asked = ask(on.port);
    (await on.responses.take()).writeHead(200, STREAM).end(CALLED);
    await isAsked.fired;
    const closed = on.stage.proxy.close(60_000);
    mayAnswer.fire();
    (await on.responses.take()).writeHead(200, STREAM).end(STOP);
    expect(await asked.text()).toBe(STOP);
    await closed;
    expect(on.finished.count()).toBe(2);
    expect(on.closed).toHaveLength(1);
  });

  test("cuts one that outlasts its grace, and the keeper learns of it", async () => {
    const on = await raise();
    const asked = ask(on.port);
    (await on.responses.take()).writeHead(200, STREAM).end(CALLED);
    const upstream = (await on.responses.take()).writeHead(200, STREAM);
    upstream.write(eventOf("say", "two"));
    const response = await asked.head;
    const isCut = once(response, "error");
    await once(response, "data");
    const isCancelled = once(upstream, "close");
    await on.stage.proxy.close(0);
    await isCancelled;
    await isCut;
    expect(on.finished.count()).toBe(2);
  });
});
