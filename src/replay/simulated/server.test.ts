import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anthropicProvider } from "../../providers/anthropic.ts";
import { BODY_BYTES_MAX } from "./body.ts";
import type { Scenario } from "./scenario.ts";
import { type SimulatedProvider, type SimulatedProviderOptions, startSimulatedProvider } from "./server.ts";

const START_MS = 1_000_000;
const scenario: Scenario = {
  scripts: [
    {
      match: "",
      steps: [
        {
          thinking: "I should read – the file 🌊.",
          text: "Reading 🌊 ".repeat(20),
          tools: [{ name: "Read", input: { file_path: "/a–🌊.txt", note: 'q"uote\n'.repeat(10) } }],
        },
        { text: "Done.", advanceMs: 400_000 },
      ],
    },
  ],
};

let provider: SimulatedProvider;
const start = async (options: Partial<SimulatedProviderOptions> = {}) => {
  provider = await startSimulatedProvider({ models: anthropicProvider, scenario, clock: () => START_MS, ...options });
};
beforeEach(() => start());
afterEach(() => provider.close());

const request = (fields: object = {}) => ({
  model: "claude-opus-5-5",
  max_tokens: 100,
  thinking: { type: "adaptive" },
  tools: [{ name: "Read", input_schema: { type: "object" } }],
  system: [{ type: "text", text: "s".repeat(4_000), cache_control: { type: "ephemeral" } }],
  messages: [{ role: "user", content: "go" }],
  ...fields,
});
const post = (body: unknown, path = "/v1/messages", headers: Record<string, string> = {}) =>
  fetch(provider.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
  });

/** The answer's JSON, untyped as a test reads it. */
const jsonOf = async (response: Response | undefined | Promise<Response>) =>
  JSON.parse((await (await response)?.text()) ?? "null");

interface Block {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  input?: unknown;
  [field: string]: unknown;
}

/** Puts a message together again from the stream's bytes, as a client does. */
function reassemble(stream: string) {
  const names: string[] = [];
  const blocks: Block[] = [];
  const partial: string[] = [];
  let message: Record<string, unknown> = {};
  for (const chunk of stream.split("\n\n").filter((one) => one !== "")) {
    const [name = "", data = ""] = chunk.split("\n");
    const event = JSON.parse(data.replace(/^data: /, ""));
    expect(`event: ${event.type}`).toBe(name);
    names.push(event.type);
    if (event.type === "message_start") message = { ...event.message };
    if (event.type === "content_block_start") blocks[event.index] = event.content_block;
    if (event.type === "message_delta") message = { ...message, ...event.delta, usage: event.usage };
    if (event.type !== "content_block_delta") continue;
    const block = blocks[event.index] ?? { type: "missing" };
    const { text, thinking, signature, partial_json } = event.delta;
    if (text !== undefined) block.text += text;
    if (thinking !== undefined) block.thinking += thinking;
    if (signature !== undefined) block.signature = signature;
    if (partial_json !== undefined) partial[event.index] = (partial[event.index] ?? "") + partial_json;
  }
  const content = blocks.map((block, index) =>
    partial[index] === undefined ? block : { ...block, input: JSON.parse(partial[index]) },
  );
  return { names, message: { ...message, content } };
}

describe("POST /v1/messages", () => {
  it("streams events that add up to the answer without streaming", async () => {
    const whole = await jsonOf(post(request()));
    await provider.close();
    await start();
    const streamed = await post(request({ stream: true }));
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    const { names, message } = reassemble(await streamed.text());
    expect(message).toEqual(whole);
    expect(names.slice(0, 2)).toEqual(["message_start", "ping"]);
    expect(names.slice(-2)).toEqual(["message_delta", "message_stop"]);
    expect(whole.content.map((block: Block) => block.type)).toEqual(["thinking", "text", "tool_use"]);
    expect(whole.stop_reason).toBe("tool_use");
  });

  it("reads from its cache what an earlier request wrote, and moves the clock by the script", async () => {
    const first = await jsonOf(post(request()));
    const messages = [
      ...request().messages,
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: first.content[2].id, content: "text" }] },
    ];
    const second = await jsonOf(post(request({ messages })));
    expect(second).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: "Done." }] });
    expect(first.usage.cache_creation.ephemeral_5m_input_tokens).toBeGreaterThan(1_000);
    expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
    expect(provider.nowMs()).toBe(START_MS + 400_000);
    const cold = await jsonOf(post(request({ messages })));
    expect(cold.usage.cache_read_input_tokens).toBe(0);
    expect(provider.requests().map((one) => one.atMs - START_MS)).toEqual([0, 0, 400_000]);
  });

  it("refuses a shortened earlier result behind bound thinking, unless signatures are off", async () => {
    const first = await jsonOf(post(request()));
    const history = (content: string, ...more: unknown[]) => [
      ...request().messages,
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: first.content[2].id, content }] },
      ...more,
    ];
    provider.setScenario({
      scripts: [{ match: "", steps: [{ text: "-" }, { thinking: "t", text: "a" }, { text: "b" }] }],
    });
    const second = await jsonOf(post(request({ messages: history("long text") })));
    const tail = [
      { role: "assistant", content: second.content },
      { role: "user", content: "and?" },
    ];
    expect((await post(request({ messages: history("long text", ...tail) }))).status).toBe(200);
    const refused = await post(request({ messages: history("[left]", ...tail) }));
    expect(refused.status).toBe(400);
    const words = "messages.3.content.0: Invalid `signature` in `thinking` block";
    expect(await jsonOf(refused)).toMatchObject({ type: "error", error: { message: expect.stringContaining(words) } });
    const counted = await post(request({ messages: history("[left]", ...tail) }), "/v1/messages/count_tokens");
    expect(counted.status).toBe(400);
    await provider.close();
    await start({ signatures: false });
    expect((await post(request({ messages: history("[left]", ...tail) }))).status).toBe(200);
  });

  it("writes nothing into its cache for a refused request", async () => {
    await post(request({ messages: [{ role: "assistant", content: "x" }] }));
    const usage = (await jsonOf(post(request()))).usage;
    expect(usage.cache_read_input_tokens).toBe(0);
  });

  it("answers a warm-up of no tokens without content", async () => {
    const warm = await jsonOf(post(request({ max_tokens: 0 })));
    expect(warm).toMatchObject({ content: [], stop_reason: "max_tokens", usage: { output_tokens: 0 } });
    expect((await jsonOf(post(request()))).usage.cache_read_input_tokens).toBeGreaterThan(0);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("takes bodies in %s", async (encoding, compress) => {
    const body = JSON.stringify(request());
    const response = await post(compress(body), "/v1/messages", { "content-encoding": encoding });
    expect(response.status).toBe(200);
    expect(provider.requests()[0]?.bodyRaw).toBe(body);
  });

  it("refuses unknown encodings, broken ones, and text that is not JSON", async () => {
    const send = async (headers: Record<string, string>) =>
      (await post(new Uint8Array([1, 2]), "/v1/messages", headers)).status;
    expect(await send({ "content-encoding": "zstd" })).toBe(400);
    expect(await send({ "content-encoding": "gzip" })).toBe(400);
    expect(await send({})).toBe(400);
  });

  it("answers 413 over 32 MB, plain or after decompression", async () => {
    const long = Buffer.alloc(BODY_BYTES_MAX + 1, " ");
    const answers = [await post(long), await post(gzipSync(long), "/v1/messages", { "content-encoding": "gzip" })];
    expect(answers.map((one) => one.status)).toEqual([413, 413]);
    expect(await jsonOf(answers[0])).toMatchObject({ error: { type: "request_too_large" } });
    await provider.close();
    await start({ bodyBytesMax: 1_000_000, mediaMax: 2 });
    expect((await post(Buffer.alloc(1_000_001, " "))).status).toBe(413);
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
    const three = { ...request(), messages: [{ role: "user", content: [image, image, image] }] };
    const refused = await post(Buffer.from(JSON.stringify(three)));
    expect(refused.status).toBe(400);
    expect(await jsonOf(refused)).toMatchObject({ error: { message: expect.stringContaining("at most 2 images") } });
    await provider.close();
    await start();
    const fits = Buffer.concat([Buffer.from(JSON.stringify(request())), Buffer.alloc(1_000_000, " ")]);
    expect((await post(fits)).status).toBe(200);
  });
});

describe("injected faults", () => {
  it("answer with the status for as often as asked, with retry-after", async () => {
    provider.fault({ status: 529, times: 2, retryAfter: 3 });
    const [first, second, third] = [await post(request()), await post(request()), await post(request())];
    expect([first?.status, second?.status, third?.status]).toEqual([529, 529, 200]);
    expect(first?.headers.get("retry-after")).toBe("3");
    expect(await jsonOf(first)).toMatchObject({ error: { type: "overloaded_error" } });
  });

  it("cut a stream after so many events, once, without moving the clock", async () => {
    provider.setScenario({ scripts: [{ match: "", steps: [{ text: "text", advanceMs: 5 }] }] });
    provider.fault({ cutAfterEvents: 3 });
    const cut = await post(request({ stream: true }));
    const reader = cut.body?.getReader();
    let received = "";
    await expect(async () => {
      for (;;) {
        const piece = await reader?.read();
        if (piece === undefined || piece.done) return;
        received += new TextDecoder().decode(piece.value);
      }
    }).rejects.toThrow();
    expect(received.match(/^event: /gm)).toHaveLength(3);
    expect(provider.nowMs()).toBe(START_MS);
    expect(provider.requests()[0]?.end).toBe("cut");
    expect(await (await post(request({ stream: true }))).text()).toContain("message_stop");
    expect(provider.nowMs()).toBe(START_MS + 5);
  });

  it("stall a stream until the client leaves", async () => {
    provider.fault({ stallAfterEvents: 1 });
    const leaving = new AbortController();
    const response = await fetch(`${provider.url}/v1/messages`, {
      method: "POST",
      body: JSON.stringify(request({ stream: true })),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    expect(provider.requests()[0]?.end).toBe("open");
    leaving.abort();
    await expect.poll(() => provider.requests()[0]?.end).toBe("left");
  });
});

describe("other paths", () => {
  it("count tokens by the rules of the cache", async () => {
    const usage = (await jsonOf(post(request()))).usage;
    const counted = await jsonOf(post(request(), "/v1/messages/count_tokens"));
    expect(counted).toEqual({ input_tokens: usage.input_tokens + usage.cache_creation_input_tokens });
  });

  it("list models, greet, and know nothing else", async () => {
    const models = await jsonOf(fetch(`${provider.url}/v1/models`));
    expect(models.data.map((model: { id: string }) => model.id)).toEqual(anthropicProvider.modelIds);
    const status = async (method: string, path: string) => (await fetch(provider.url + path, { method })).status;
    expect(await status("HEAD", "/api/hello")).toBe(200);
    expect(await status("OPTIONS", "/api/hello")).toBe(200);
    expect(await status("HEAD", "/")).toBe(404);
    expect(await status("GET", "/v1/files")).toBe(404);
    expect((await post(request(), "//v1/messages?beta=true")).status).toBe(200);
  });
});

describe("control from another process", () => {
  const control = async (path: string, body?: object) => {
    const response = await (body === undefined ? fetch(`${provider.url}/_sim/${path}`) : post(body, `/_sim/${path}`));
    return { status: response.status, body: await jsonOf(response) };
  };

  it("reads and advances the clock", async () => {
    expect((await control("clock", { advanceMs: 250 })).body).toEqual({ nowMs: START_MS + 250 });
    expect((await control("clock")).body).toEqual({ nowMs: START_MS + 250 });
    expect((await control("clock", { advanceMs: -1 })).status).toBe(400);
  });

  it("sets scenario and fault, and refuses what is none", async () => {
    expect((await control("scenario", { scripts: [{ match: "", steps: [{ text: "New." }] }] })).status).toBe(200);
    expect((await control("scenario", { scripts: 1 })).status).toBe(400);
    expect((await control("fault", { status: 500 })).status).toBe(200);
    expect((await control("fault", { status: 200 })).status).toBe(400);
    expect((await post(request())).status).toBe(500);
    expect(await jsonOf(post(request()))).toMatchObject({ content: [{ text: "New." }] });
  });

  it("answers only under a name of this computer", async () => {
    const status = await new Promise<number | undefined>((resolve) => {
      get(`${provider.url}/_sim/requests`, { headers: { host: "evil.example" } }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode));
      });
    });
    expect(status).toBe(403);
  });

  it("shows requests with bodies and usage, control requests and credentials apart", async () => {
    await post(request(), "/v1/messages", { "x-api-key": "sk-secret", "x-other": "kept" });
    const { body } = await control("requests");
    expect(body).toMatchObject({
      dropped: 0,
      requests: [{ method: "POST", url: "/v1/messages", status: 200, end: "whole" }],
    });
    expect(body.requests[0].bodyRaw).toBe(JSON.stringify(request()));
    expect(body.requests[0].usage.cacheWrite5mTokens).toBeGreaterThan(1_000);
    expect(body.requests[0].costUsd).toBeGreaterThan(0);
    expect(body.requests[0].headers["x-other"]).toBe("kept");
    expect(JSON.stringify(body)).not.toContain("sk-secret");
  });
});

describe("what is kept", () => {
  it("is written to the folder, for the user's eyes only", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ebb-simulated-"));
    try {
      await provider.close();
      await start({ captureFolder: join(folder, "requests") });
      await post(request());
      await expect.poll(() => readdirSync(join(folder, "requests"))).toEqual(["0001-POST-v1-messages.json"]);
      const file = join(folder, "requests", "0001-POST-v1-messages.json");
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(provider.requests()[0]);
      expect(statSync(file).mode & 0o077).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("says which port is taken", async () => {
    const port = Number(new URL(provider.url).port);
    await expect(startSimulatedProvider({ models: anthropicProvider, scenario, port })).rejects.toMatchObject({
      code: "address_in_use",
    });
  });
});
