import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { createInlineAnswerer } from "../../src/mcp/inline-call.ts";
import { inlineDefinitions } from "../../src/mcp/inline-definitions.ts";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { type RunningProxy, startProxy } from "../../src/proxy/server.ts";
import { type Block, bodyOf, EMPTY_TALK, type Talk, user } from "../support/conversation.ts";
import { readStream } from "../support/inline/client-stream.ts";
import { eventsOfRound, messageOf, type RoundMessage, recall, text } from "../support/inline/messages.ts";
import { createTestKeeper, wire } from "../support/keeper.ts";
import { type Got, send } from "../support/proxy/client.ts";
import { type FakeUpstream, type Responder, startUpstream } from "../support/proxy/fake-upstream.ts";

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };
const LOOKS: RoundMessage = { blocks: [text("Let me look."), recall("r1", { id: "nothing" })] };
const FOUND: RoundMessage = { blocks: [text("It is in line 40.")] };
const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };

let proxy: RunningProxy | null = null;
let upstream: FakeUpstream | null = null;

afterEach(async () => {
  await proxy?.close(0);
  await upstream?.close();
});

interface World {
  readonly port: number;
  readonly errors: readonly string[];
  ask(talk: Talk, isStreaming?: boolean): Promise<Got>;
  /** Bodies that the provider got. */
  bodies(): readonly string[];
}

/** A provider that answers its requests in turn; behind the last one it says something that needs no answer. */
async function open(...responders: readonly Responder[]): Promise<World> {
  const left = [...responders];
  const served = await startUpstream((...asked) => (left.shift() ?? streamed({ blocks: [text("Well.")] }))(...asked));
  const keeper = createTestKeeper({ inlineTools });
  const desk = { keeper, tenant: "local", nowMs: () => 1_000_000 };
  const faults: string[] = [];
  const started = await startProxy({
    host: "127.0.0.1",
    port: 0,
    upstream: served.url,
    keeper,
    answerTool: createInlineAnswerer(desk, (fault) => faults.push(String(fault))),
    wires: [wire],
    providerOf: () => anthropicProvider,
    tenant: "local",
    token: "a-token-that-only-the-user-can-read",
    log: pino({ level: "silent" }),
    version: "1",
    nowMs: desk.nowMs,
  });
  [proxy, upstream] = [started, served];
  return {
    port: started.port,
    errors: keeper.errors,
    ask: (talk, stream = true) => send(started.port, requestOf(bodyOf(talk, { stream }))),
    bodies: () => served.received.map(({ body }) => body.toString()),
  };
}

function requestOf(body: Uint8Array) {
  return { method: "POST", path: "/v1/messages", headers: ["Content-Type", "application/json"], body };
}

function streamed(message: RoundMessage, change: (stream: string) => string = (stream) => stream): Responder {
  return (response) => void response.writeHead(200, STREAM_TYPE).end(change(eventsOfRound(message).join("")));
}

function whole(message: RoundMessage): Responder {
  return (response) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify(messageOf(message)));
}

const GO = user(EMPTY_TALK, "go");
const contentOf = ({ body }: Got): readonly Block[] =>
  readStream(body.toString().replace("data: [DONE]\n\n", "")).content;
const behind = (talk: Talk, content: readonly Block[]): Talk =>
  user({ messages: [...talk.messages, { role: "assistant", content }] }, "thanks");

describe("a provider whose stream is odd", () => {
  test.each<[string, (stream: string) => string]>([
    ["has CR and LF", (stream) => stream.replaceAll("\n", "\r\n")],
    ["names no events", (stream) => stream.replaceAll(/^event: .*\n/gm, "")],
    ["ends with an event of another API", (stream) => `${stream}data: [DONE]\n\n`],
    ["has comments between", (stream) => stream.replaceAll("\n\n", "\n\n: still here\n\n")],
  ])("is answered where it %s", async (_name, change) => {
    const on = await open(streamed(LOOKS, change), streamed(FOUND, change));
    const content = contentOf(await on.ask(GO));
    expect(content.map((block) => block.text)).toEqual(["Let me look.", "It is in line 40."]);
    await on.ask(behind(GO, content));
    expect(on.bodies()).toHaveLength(3);
    expect(on.bodies()[2]).toContain('"tool_use_id":"r1"');
    expect(on.errors).toEqual([]);
  });

  test("is answered where it comes byte by byte", async () => {
    const slow =
      (message: RoundMessage): Responder =>
      (response) => {
        response.writeHead(200, STREAM_TYPE);
        for (const byte of Buffer.from(eventsOfRound(message).join(""))) response.write(Buffer.from([byte]));
        response.end();
      };
    const on = await open(slow(LOOKS), slow(FOUND));
    expect(contentOf(await on.ask(GO))).toHaveLength(2);
  });
});

describe("a provider whose second round is no answer", () => {
  const dead: readonly [string, Responder, RegExp][] = [
    [
      "is packed in spite of what was asked",
      (response) =>
        void response
          .writeHead(200, { ...STREAM_TYPE, "content-encoding": "gzip" })
          .end(gzipSync(eventsOfRound(FOUND).join(""))),
      /overloaded_error|api_error/,
    ],
    [
      "is of another type",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      /overloaded_error|api_error/,
    ],
    ["is a whole body where a stream began", whole(FOUND), /overloaded_error|api_error/],
    [
      "has to wait",
      (response) =>
        void response
          .writeHead(429, { ...JSON_TYPE, "retry-after": "7" })
          .end('{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}'),
      /rate_limit_error.*slow down/,
    ],
    [
      "is an error inside a stream",
      (response) =>
        void response
          .writeHead(200, STREAM_TYPE)
          .end('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n'),
      /overloaded_error/,
    ],
    [
      "does not end its message",
      streamed(FOUND, (stream) => stream.replace(/event: message_stop[\s\S]*/, "")),
      /is in line 40/,
    ],
    ["is empty", (response) => void response.writeHead(204).end(), /overloaded_error|api_error/],
  ];

  test.each(dead)(
    "tells the client where it %s, who asks again with what was answered",
    async (_name, second, told) => {
      const on = await open(streamed(LOOKS), second, streamed(FOUND));
      const got = await on.ask(GO);
      const stream = got.body.toString();
      expect(stream).toContain(" me look.");
      expect(stream).toMatch(told);
      expect(stream).not.toContain("ebb_recall");
      expect(() => readStream(stream)).toThrow();
      const kept = behind(GO, [{ type: "text", text: "Let me look." }]);
      expect((await on.ask(kept)).status).toBe(200);
      expect(on.bodies()[2]).toContain('"tool_use_id":"r1"');
      expect((await on.ask(GO)).status).toBe(200);
      expect(on.bodies()[3]).not.toContain('"tool_use_id":"r1"');
      expect(on.errors).toEqual([]);
    },
  );
});

describe("a provider that streams where a whole body was asked for, and the reverse", () => {
  test("is followed by what it sends", async () => {
    const on = await open(streamed(LOOKS), streamed(FOUND), whole(LOOKS), whole(FOUND));
    expect(contentOf(await on.ask(GO, false))).toHaveLength(2);
    const got = await on.ask(user(EMPTY_TALK, "other"), true);
    expect(JSON.parse(got.body.toString()).content).toHaveLength(2);
  });

  test("and changes its mind in the second round gives the client that round as it came", async () => {
    const on = await open(whole(LOOKS), streamed(FOUND));
    const content = contentOf(await on.ask(GO, false));
    await on.ask(behind(GO, content));
    expect(on.bodies()).toHaveLength(3);
    expect(on.errors).toEqual([]);
  });
});

describe("a client", () => {
  test("of HTTP/1.0 gets the whole message, and the end of its connection", async () => {
    const on = await open(streamed(LOOKS), streamed(FOUND));
    const body = bodyOf(GO);
    const socket = connect({ host: "127.0.0.1", port: on.port });
    socket.write(
      `POST /v1/messages HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const answer = Buffer.concat(chunks).toString();
    expect(answer).toMatch(/^HTTP\/1\.\d 200 /);
    expect(readStream(answer.slice(answer.indexOf("\r\n\r\n") + 4)).content).toHaveLength(2);
  });

  test("that asks the same at the same moment gets each its own, and what it keeps is whole", async () => {
    const other = { blocks: [text("I look elsewhere."), recall("r2", { id: "nothing" })] };
    const on = await open(streamed(LOOKS), streamed(other), streamed(FOUND), streamed(FOUND));
    const both = await Promise.all([on.ask(GO), on.ask(GO)]);
    for (const got of both) {
      const content = contentOf(got);
      await on.ask(behind(GO, content));
      const own = content[0]?.text === "Let me look." ? "r1" : "r2";
      const body = on.bodies().at(-1) ?? "";
      expect(body).toContain(`"tool_use_id":"${own}"`);
      expect(body).not.toContain(`"tool_use_id":"${own === "r1" ? "r2" : "r1"}"`);
    }
    expect(on.errors).toEqual([]);
  });
});
