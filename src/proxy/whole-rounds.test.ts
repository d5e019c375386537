import { expect, test } from "vitest";
import { ask, type InlineStage, OWN_TOOL, stageForEach } from "../../test/support/proxy/inline-stage.ts";
import { createSignal } from "../../test/support/proxy/signals.ts";
import { WHOLE_RESPONSE_BYTES_MAX } from "./limits.ts";

const JSON_TYPE = { "content-type": "application/json" };
const ERROR = '{"type":"error","error":{"type":"overloaded_error"}}';

const raise = stageForEach();

/** Plays the upstream's next response as one message. */
async function play({ responses }: InlineStage, say: string, ...calls: readonly string[]): Promise<string> {
  const body = JSON.stringify({ say, calls, end: "[END]" });
  (await responses.take()).writeHead(200, { ...JSON_TYPE, "request-id": `of ${say}` }).end(body);
  return body;
}

test("a message without a call of Ebb's tools arrives as it came", async () => {
  const on = await raise();
  const asked = ask(on.port);
  const body = await play(on, "one");
  expect(await asked.text()).toBe(body);
  expect((await asked.head).headers).toMatchObject({ ...JSON_TYPE, "content-length": String(body.length) });
  expect(on.closed).toHaveLength(1);
  expect(await on.finished.take()).toMatchObject({ request: 1, status: 200, facts: { isComplete: true } });
});

test("a message of several rounds is put together, with its own length and the last head", async () => {
  const on = await raise();
  const asked = ask(on.port);
  await play(on, "one ", OWN_TOOL);
  await play(on, "two ", OWN_TOOL);
  await play(on, "three");
  const response = await asked.head;
  expect(JSON.parse(await asked.text())).toMatchObject({ say: "one two three", calls: [] });
  expect(response.headers["request-id"]).toBe("of three");
  expect(response.complete).toBe(true);
  expect(on.pins).toHaveLength(2);
  expect(on.upstream.received.map(({ body }) => body.toString())).toEqual(["{}", '{"round":2}', '{"round":3}']);
  const ends = [await on.finished.take(), await on.finished.take(), await on.finished.take()];
  expect(ends.map(({ request, status, facts }) => [request, status, facts.isComplete])).toEqual([
    [1, 200, true],
    [2, 200, true],
    [3, 200, true],
  ]);
});

test("beside the client's own calls nothing more is asked", async () => {
  const on = await raise();
  const asked = ask(on.port);
  await play(on, "one", OWN_TOOL, "theirs");
  expect(JSON.parse(await asked.text())).toEqual({ say: "one", calls: ["theirs"] });
  expect(on.pins).toMatchObject([{ round: { place: "beside" } }]);
  expect(on.closed).toHaveLength(1);
  expect(on.upstream.received).toHaveLength(1);
});

test.each([500, 529])(
  "a further round with status %i is answered with the upstream's own status and body",
  async (status) => {
    const on = await raise();
    const asked = ask(on.port);
    await play(on, "one", OWN_TOOL);
    (await on.responses.take()).writeHead(status, { ...JSON_TYPE, "retry-after": "7" }).end(ERROR);
    const response = await asked.head;
    expect([response.statusCode, response.headers["retry-after"]]).toEqual([status, "7"]);
    expect(await asked.text()).toBe(ERROR);
    expect(await on.finished.take()).toMatchObject({ request: 1, status: 200 });
    expect(await on.finished.take()).toMatchObject({ request: 2, status });
    expect(on.closed).toEqual([]);
  },
);

test("a further round without an answer is one that was not carried", async () => {
  const on = await raise();
  const asked = ask(on.port);
  await play(on, "one", OWN_TOOL);
  (await on.responses.take()).destroy();
  expect((await asked.head).statusCode).toBe(502);
  expect(await asked.text()).toContain("UND_ERR_SOCKET");
  expect(await on.finished.take()).toMatchObject({ request: 1 });
  expect(await on.finished.take()).toMatchObject({ request: 2, status: 0, facts: { isComplete: false } });
});

test("what cannot be recorded is refused for now", async () => {
  const on = await raise({ pin: async () => ({ ok: false, words: "the store is locked" }) });
  const asked = ask(on.port);
  await play(on, "one", OWN_TOOL);
  const response = await asked.head;
  expect([response.statusCode, response.headers["retry-after"]]).toEqual([503, "2"]);
  expect(await asked.text()).toContain("the store is locked");
  expect(on.upstream.received).toHaveLength(1);
});

test("a response that makes no sense is refused for now", async () => {
  const on = await raise();
  const asked = ask(on.port);
  (await on.responses.take()).writeHead(200, JSON_TYPE).end("{}");
  expect((await asked.head).statusCode).toBe(503);
  expect(await asked.text()).toContain("could not be read");
  expect(on.closed).toEqual([]);
  expect(await on.finished.take()).toMatchObject({ request: 1, status: 200 });
});

test("a response that breaks off is told as one that did not come", async () => {
  const on = await raise();
  const asked = ask(on.port);
  const upstream = await on.responses.take();
  upstream.writeHead(200, { ...JSON_TYPE, "content-length": "1000" });
  await new Promise((resolve) => upstream.write('{"say":', resolve));
  upstream.destroy();
  expect((await asked.head).statusCode).toBe(502);
  expect(await on.finished.take()).toMatchObject({ request: 1, status: 200, facts: { isComplete: false } });
  expect(on.closed).toEqual([]);
});

test("a response over the limit is passed on as it comes", async () => {
  const on = await raise();
  const asked = ask(on.port);
  const body = Buffer.alloc(WHOLE_RESPONSE_BYTES_MAX + 100_000, "{}");
  (await on.responses.take()).writeHead(200, { ...JSON_TYPE, "content-length": body.length }).end(body);
  expect((await asked.head).headers["content-length"]).toBe(String(body.length));
  expect(Buffer.from(await asked.text()).equals(body)).toBe(true);
  expect(on.closed).toEqual([]);
  expect(await on.finished.take()).toMatchObject({ request: 1, status: 200 });
});

test("a response over the limit does not stand in for what came before it", async () => {
  const on = await raise();
  const asked = ask(on.port);
  await play(on, "one", OWN_TOOL);
  (await on.responses.take()).writeHead(200, JSON_TYPE).end(Buffer.alloc(WHOLE_RESPONSE_BYTES_MAX + 1, " "));
  expect((await asked.head).statusCode).toBe(503);
  expect(await on.finished.take()).toMatchObject({ request: 1 });
  expect(await on.finished.take()).toMatchObject({ request: 2, status: 200 });
});

test("a client that leaves while a call is answered gets nothing recorded", async () => {
  const isAsked = createSignal();
  const mayAnswer = createSignal();
  const on = await raise({
    async answerTool() {
      isAsked.fire();
      await mayAnswer.fired;
      return { content: [], failure: null };
    },
  });
  const { request } = ask(on.port);
  await play(on, "one", OWN_TOOL);
  await isAsked.fired;
  const isGone = new Promise((resolve) => request.once("close", resolve));
  request.destroy();
  await isGone;
  while (!on.stage.logText().includes("CLIENT_LEFT")) {
    await new Promise((resolve) => setImmediate(resolve));
    mayAnswer.fire();
  }
  expect(on.upstream.received).toHaveLength(1);
});
