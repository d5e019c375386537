import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { nextChunk } from "../../test/support/proxy/client.ts";
import { eventOf } from "../../test/support/proxy/fake-inline.ts";
import { readAll } from "../../test/support/proxy/fake-upstream.ts";
import { ask, type InlineStage, OWN_TOOL, stageForEach } from "../../test/support/proxy/inline-stage.ts";
import { createSignal } from "../../test/support/proxy/signals.ts";

const STREAM = { "content-type": "text/event-stream; charset=utf-8" };
const STOP = eventOf("stop", "[END]");
const CALL = eventOf("call", OWN_TOOL);

const raise = stageForEach();

function say(text: string): string {
  return eventOf("say", text);
}

/** Plays the upstream's next response as a stream, whole. */
async function play({ responses }: InlineStage, ...events: readonly string[]): Promise<void> {
  (await responses.take()).writeHead(200, STREAM).end(events.join(""));
}

/** The upstream's next response, begun with these events. */
async function begin({ responses }: InlineStage, ...events: readonly string[]): Promise<ServerResponse> {
  const response = await responses.take();
  response.writeHead(200, STREAM).flushHeaders();
  for (const event of events) response.write(event);
  return response;
}

describe("a streamed message", () => {
  test("without a call of Ebb's tools passes event by event, as it came", async () => {
    const on = await raise();
    const events = [": ping\n\n", say("one"), say("twoü"), STOP];
    const { head } = ask(on.port, { headers: ["Accept-Encoding", "gzip"] });
    const upstream = await on.responses.take();
    const length = Buffer.byteLength(events.join(""));
    upstream.writeHead(200, { ...STREAM, "request-id": "req_1", "content-length": length }).flushHeaders();
    const response = await head;
    expect(response.headers).toMatchObject({ "request-id": "req_1", "content-type": STREAM["content-type"] });
    expect(response.headers["content-length"]).toBeUndefined();
    for (const event of events) {
      upstream.write(event);
      expect((await nextChunk(response)).toString()).toBe(event);
    }
    upstream.end();
    await readAll(response);
    expect(response.complete).toBe(true);
    expect(on.closed).toEqual([["one", "twoü"]]);
    expect(await on.finished.take()).toMatchObject({ request: 1, status: 200, facts: { isComplete: true } });
    expect(on.upstream.received[0]?.headers["accept-encoding"]).toBe("identity");
    expect(Buffer.concat(on.wire.watched[0]?.chunks ?? []).toString()).toBe(
      `: ping\n\n${say("one")}${say("twoü")}${STOP}`,
    );
  });

  test("goes on behind the answer of a call, which the client never sees", async () => {
    const on = await raise();
    const headers = ["X-Own", "1", "Content-MD5", "old", "Idempotency-Key", "k", "X-Needed", "theirs"];
    const { text, head } = ask(on.port, { headers });
    await play(on, say("one"), CALL, STOP);
    await play(on, say("two"), STOP);
    expect(await text()).toBe(say("one") + say("two") + STOP);
    expect((await head).complete).toBe(true);
    const [first, second] = on.upstream.received;
    expect(second?.body.toString()).toBe('{"round":2}');
    expect(second?.headers["content-length"]).toBe("11");
    expect([second?.method, second?.url]).toEqual([first?.method, first?.url]);
    expect(second?.headers["x-own"]).toBe("1");
    expect(second?.headers["x-needed"]).toBe("theirs,by 2");
    expect(second?.headers["accept-encoding"]).toBe("identity");
    expect([first?.headers["idempotency-key"], second?.headers["idempotency-key"]]).toEqual(["k", undefined]);
    expect(second?.headers["content-md5"]).toBeUndefined();
    expect(on.pins).toMatchObject([
      { round: { place: "round", calls: [{ name: OWN_TOOL }] }, answers: [{ content: [{ text: "found" }] }] },
    ]);
    expect(on.closed).toEqual([["one", "two"]]);
  });

  test("tells the keeper of each round once, and the log of all of them", async () => {
    const on = await raise();
    const { text } = ask(on.port);
    await play(on, say('{"output_tokens":3}'), CALL, STOP);
    await play(on, say('{"output_tokens":5}'), CALL, STOP);
    await play(on, STOP);
    await text();
    const ends = [await on.finished.take(), await on.finished.take(), await on.finished.take()];
    expect(ends.map((end) => [end.request, end.status, end.facts.usage?.outputTokens, end.facts.isComplete])).toEqual([
      [1, 200, 3, true],
      [2, 200, 5, true],
      [3, 200, undefined, true],
    ]);
    expect(on.finished.count()).toBe(3);
    await on.stage.proxy.close();
    expect(on.stage.logText()).toMatch(/"rounds":3,/);
  });

  test("gives each call to whoever answers, in order and with its conversation", async () => {
    const asked: unknown[] = [];
    const on = await raise({
      async answerTool(call, place) {
        asked.push([call.id, call.name, place.lineage, place.sessionId]);
        return { content: [], failure: "unknown id" };
      },
    });
    const { text } = ask(on.port);
    await play(on, CALL, CALL, STOP);
    await play(on, STOP);
    await text();
    expect(asked).toEqual([
      ["c0", OWN_TOOL, "lineage", "session"],
      ["c1", OWN_TOOL, "lineage", "session"],
    ]);
    expect(on.pins[0]?.answers).toHaveLength(2);
  });

  test("ends without another request where the client's own calls stand beside", async () => {
    const on = await raise();
    const { text } = ask(on.port);
    await play(on, CALL, eventOf("call", "theirs"), STOP);
    expect(await text()).toBe(eventOf("call", "theirs") + STOP);
    expect(on.pins).toMatchObject([{ round: { place: "beside" } }]);
    expect(on.closed).toEqual([["theirs"]]);
    expect(on.upstream.received).toHaveLength(1);
  });
});

describe("a round that fails", () => {
  test.each([500, 529])("with status %i is told to the client in the provider's own words", async (status) => {
    const on = await raise();
    const { text, head } = ask(on.port);
    await play(on, say("one"), CALL, STOP);
    const error = '{"type":"error","error":{"type":"busy"}}';
    (await on.responses.take()).writeHead(status, { "content-type": "application/json" }).end(error);
    expect(await text()).toBe(say("one") + eventOf("error", error));
    expect((await head).complete).toBe(false);
    expect(on.closed).toEqual([]);
    expect(await on.finished.take()).toMatchObject({ request: 1, status: 200 });
    expect(await on.finished.take()).toMatchObject({ request: 2, status });
    await on.stage.proxy.close();
    expect(on.stage.logText()).toMatch(new RegExp(`"status":200,.*"round_status":${status}`));
  });

  test.each([
    ["another content type", { "content-type": "text/html" }, "(200)"],
    ["a coding", { ...STREAM, "content-encoding": "gzip" }, "(200)"],
  ])("by %s is told in the shape of the API's errors", async (_what, headers, words) => {
    const on = await raise();
    const { text } = ask(on.port);
    await play(on, CALL, STOP);
    (await on.responses.take()).writeHead(200, headers).end("<html>");
    expect(await text()).toContain(`"message":"the upstream gave no answer ${words}"`);
    expect(await on.finished.take()).toMatchObject({ request: 1 });
    expect(await on.finished.take()).toMatchObject({ request: 2 });
  });

  test("without any answer is told by its code", async () => {
    const on = await raise();
    const { text } = ask(on.port);
    await play(on, say("one"), CALL, STOP);
    (await on.responses.take()).destroy();
    const got = await text();
    expect(got.startsWith(say("one"))).toBe(true);
    expect(got).toContain('"message":"the upstream gave no answer (UND_ERR_SOCKET)"');
    expect(await on.finished.take()).toMatchObject({ request: 1, status: 200 });
    expect(await on.finished.take()).toMatchObject({ request: 2, status: 0, facts: { isComplete: false } });
  });

  test("because nothing could be recorded sends nothing more upstream", async () => {
    const on = await raise({ pin: async () => ({ ok: false, words: "the store is locked" }) });
    const { text } = ask(on.port);
    await play(on, say("one"), CALL, STOP);
    expect(await text()).toContain('"message":"the store is locked"');
    expect(on.upstream.received).toHaveLength(1);
    expect(on.closed).toEqual([]);
  });

  test("because it makes no sense is cut at once, upstream too", async () => {
    const on = await raise();
    const { head } = ask(on.port);
    await play(on, CALL, STOP);
    const upstream = await begin(on, say("two"));
    const response = await head;
    await until(response, say("two"));
    const isCut = once(response, "error");
    const isCancelled = once(upstream, "close");
    upstream.write(eventOf("nonsense", ""));
    response.resume();
    await isCut;
    await isCancelled;
    await on.finished.take();
    expect(await on.finished.take()).toMatchObject({ request: 2, facts: { isComplete: false } });
    await on.stage.proxy.close();
    expect(on.stage.logText()).not.toContain("CLIENT_LEFT");
  });

  test("because the further request was prepared without the tools records nothing more", async () => {
    const on = await raise({ pin: async (next) => ({ ok: true, next: { ...next, inline: null } }) });
    const { text } = ask(on.port);
    await play(on, say("one"), CALL, STOP);
    await play(on, say("two"), CALL, STOP);
    expect(await text()).toContain('"message":"no answer can be recorded for this request"');
    expect(on.pins).toHaveLength(1);
    expect(on.upstream.received).toHaveLength(2);
  });

  test.each([
    ["the first round", []],
    ["a further round", [[say("one"), CALL, STOP]]],
  ])("by a cut inside %s is cut for the client, behind what came before", async (_which, before) => {
    const on = await raise();
    const { head } = ask(on.port);
    for (const events of before) await play(on, ...events);
    const upstream = await begin(on, say("last"));
    const response = await head;
    await until(response, say("last"));
    const isCut = once(response, "error");
    upstream.destroy();
    response.resume();
    await isCut;
    expect(response.complete).toBe(false);
    for (const _events of before) await on.finished.take();
    expect(await on.finished.take()).toMatchObject({ status: 200, facts: { isComplete: false } });
    expect(on.closed).toEqual([]);
  });
});

describe("a message that the provider itself leaves unfinished", () => {
  test("ends for the client as it ended upstream", async () => {
    const on = await raise();
    const { text, head } = ask(on.port);
    await play(on, say("one"), ": last");
    expect(await text()).toBe(`${say("one")}: last`);
    expect((await head).complete).toBe(true);
    expect(on.closed).toEqual([]);
  });
});

describe("a client that leaves", () => {
  test("while a call is answered leaves nothing recorded and nothing asked", async () => {
    const isAsked = createSignal();
    const mayAnswer = createSignal();
    const on = await raise({
      async answerTool() {
        isAsked.fire();
        await mayAnswer.fired;
        return { content: [], failure: null };
      },
    });
    const { request, head } = ask(on.port);
    await play(on, say("one"), CALL, STOP);
    await isAsked.fired;
    await leave(request, await head);
    mayAnswer.fire();
    expect(await on.finished.take()).toMatchObject({ request: 1, status: 200, facts: { isComplete: true } });
    await on.stage.proxy.close();
    expect(on.pins).toEqual([]);
    expect(on.upstream.received).toHaveLength(1);
    expect(on.stage.logText()).toContain('"error":"CLIENT_LEFT"');
  });

  test("while the first of two calls is answered has the second one left alone: it may be an order", async () => {
    const answered: string[] = [];
    const isAsked = createSignal();
    const mayAnswer = createSignal();
    const on = await raise({
      async answerTool({ id }) {
        answered.push(id);
        isAsked.fire();
        await mayAnswer.fired;
        return { content: [], failure: null };
      },
    });
    const { request, head } = ask(on.port);
    await play(on, say("one"), CALL, CALL, STOP);
    await isAsked.fired;
    await leave(request, await head);
    mayAnswer.fire();
    await on.finished.take();
    await on.stage.proxy.close();
    expect(answered).toHaveLength(1);
  });

  test("while the answer is recorded gets no further round, whose request the keeper hears was never sent", async () => {
    const isPinning = createSignal();
    const mayPin = createSignal();
    const on = await raise({
      async pin(next) {
        isPinning.fire();
        await mayPin.fired;
        return { ok: true, next };
      },
    });
    const { request, head } = ask(on.port);
    await play(on, say("one"), CALL, STOP);
    await isPinning.fired;
    await leave(request, await head);
    mayPin.fire();
    expect(await on.finished.take()).toMatchObject({ request: 1 });
    expect(await on.finished.take()).toMatchObject({ request: 2, status: 0, facts: { isComplete: false } });
    await on.stage.proxy.close();
    expect(on.upstream.received).toHaveLength(1);
    expect(on.finished.count()).toBe(2);
  });

  test("in a further round ends its request upstream", async () => {
    const on = await raise();
    const { request, head } = ask(on.port);
    await play(on, CALL, STOP);
    const upstream = await begin(on, say("two"));
    const response = await head;
    await until(response, say("two"));
    const isCancelled = once(upstream, "close");
    request.destroy();
    await isCancelled;
    expect(upstream.writableFinished).toBe(false);
    expect(await on.finished.take()).toMatchObject({ request: 1, facts: { isComplete: true } });
    expect(await on.finished.take()).toMatchObject({ request: 2, status: 200, facts: { isComplete: false } });
  });
});

/** Reads until `text` came. */
async function until(response: IncomingMessage, text: string): Promise<void> {
  let got = "";
  while (!got.includes(text)) got += (await nextChunk(response)).toString();
}

/** Breaks the connection, and waits until the proxy's side of it has heard. */
async function leave(request: ReturnType<typeof ask>["request"], response: IncomingMessage): Promise<void> {
  const isGone = new Promise((resolve) => response.once("close", resolve));
  request.destroy();
  await isGone;
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
