import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, dataOf } from "../../../../test/support/simulated.ts";
import type { JsonObject } from "../../../model/json.ts";
import { anthropicProvider } from "../../../providers/anthropic.ts";
import { deepseekProvider } from "../../../providers/deepseek.ts";
import { geminiProvider } from "../../../providers/gemini.ts";
import { openaiProvider } from "../../../providers/openai.ts";
import { type FakeProvider, startFakeProvider } from "../../../testing/fake-provider.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import type { ModelTable } from "../models.ts";
import type { Scenario } from "../scenario.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../server.ts";

const START_MS = 1_000_000;
const HOUR_MS = 3_600_000;
const TEXT = "Reading 🌊 ".repeat(12);
const scenario: Scenario = {
  scripts: [
    {
      match: "",
      steps: [
        {
          thinking: "I look first.",
          text: TEXT,
          tools: [
            { do: "read", path: "/a–🌊.txt" },
            { name: "bash", input: { command: 'echo "q"' } },
          ],
        },
        { text: "Done.", advanceMs: 7 },
      ],
    },
  ],
};

let provider: FakeProvider;
const start = async (played: Scenario = scenario) => {
  provider = await startFakeProvider({ scenario: played, clock: () => START_MS });
};
beforeEach(() => start());
afterEach(() => provider.close());

const tool = (name: string, ...properties: string[]) => ({
  type: "function",
  function: {
    name,
    parameters: { type: "object", properties: Object.fromEntries(properties.map((one) => [one, {}])) },
  },
});
const body = (fields: JsonObject = {}): JsonObject => ({
  model: "gpt-4.1",
  tools: [tool("read", "path"), tool("bash", "command")],
  messages: [
    { role: "system", content: "s".repeat(6_000) },
    { role: "user", content: "go" },
  ],
  ...fields,
});
const post = (fields: JsonObject = {}) => ask(`${provider.url}/v1/chat/completions`, body(fields));

describe("an answer", () => {
  it("is a completion with the step's text and calls", async () => {
    const { status, headers, json } = await post();
    expect(status).toBe(200);
    expect(headers.get("x-request-id")).toBe("req_sim_00000001");
    expect(json).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
      object: "chat.completion",
      created: START_MS / 1_000,
      model: "gpt-4.1",
      choices: [
        { index: 0, message: { role: "assistant", content: TEXT, refusal: null }, finish_reason: "tool_calls" },
      ],
      usage: { prompt_tokens_details: { cached_tokens: 0 } },
    });
    const [{ message }] = json.choices;
    expect(message.tool_calls).toEqual([
      {
        id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
        type: "function",
        function: { name: "read", arguments: '{"path":"/a–🌊.txt"}' },
      },
      { id: expect.any(String), type: "function", function: { name: "bash", arguments: '{"command":"echo \\"q\\""}' } },
    ]);
    expect(message).not.toHaveProperty("reasoning_content");
    expect(json.usage.total_tokens).toBe(json.usage.prompt_tokens + json.usage.completion_tokens);
  });

  it("follows from the request: the step behind as many answers, and the clock moves once it was sent", async () => {
    const { message } = (await post()).json.choices[0];
    const results = message.tool_calls.map(({ id }: { id: string }) => ({
      role: "tool",
      tool_call_id: id,
      content: "x",
    }));
    const messages = [...objectsOf(body().messages), message, ...results];
    const next = await post({ messages });
    expect(next.json.choices[0]).toMatchObject({ message: { content: "Done." }, finish_reason: "stop" });
    expect(provider.nowMs()).toBe(START_MS + 7);
  });

  it("in chunks is the same answer", async () => {
    const whole = (await post()).json;
    const { headers, text } = await post({ stream: true, stream_options: { include_usage: true } });
    expect(headers.get("content-type")).toContain("text/event-stream");
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    const chunks = dataOf(text);
    expect(chunks.every(({ object, id }) => object === "chat.completion.chunk" && id === whole.id)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: whole.usage.total_tokens } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(messageIn(chunks)).toEqual({
      role: "assistant",
      content: TEXT,
      tool_calls: whole.choices[0].message.tool_calls,
      finish_reason: "tool_calls",
    });
  });

  it("in chunks has no usage without being asked", async () => {
    const chunks = dataOf((await post({ stream: true })).text);
    expect(chunks.filter((chunk) => "usage" in chunk)).toEqual([]);
  });

  it("calls a function where the request offers functions of the old kind", async () => {
    const functions = [{ name: "read", parameters: { type: "object", properties: { path: {} } } }];
    const { tools: _tools, ...old } = body({ functions });
    const { json } = await ask(`${provider.url}/v1/chat/completions`, old);
    expect(json.choices[0]).toMatchObject({
      message: { function_call: { name: "read", arguments: '{"path":"/a–🌊.txt"}' } },
      finish_reason: "function_call",
    });
    const streamed = await ask(`${provider.url}/v1/chat/completions`, { ...old, stream: true });
    const deltas = dataOf(streamed.text).flatMap(({ choices }) => objectsOf(choices).map(({ delta }) => delta));
    const pieces = deltas.flatMap((delta) =>
      isObject(delta) && isObject(delta.function_call) ? [delta.function_call] : [],
    );
    expect(pieces.map((piece) => stringOf(piece.arguments)).join("")).toBe('{"path":"/a–🌊.txt"}');
  });

  it("gives one text to a tool that takes one", async () => {
    await provider.close();
    await start({ scripts: [{ match: "", steps: [{ tools: [{ do: "edit", path: "a.txt", old: "x", new: "y" }] }] }] });
    const tools = [{ type: "custom", custom: { name: "apply_patch" } }];
    const input = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch";
    const { json } = await post({ tools });
    expect(json.choices[0].message.tool_calls).toMatchObject([
      { type: "custom", custom: { name: "apply_patch", input } },
    ]);
    const chunks = dataOf((await post({ tools, stream: true })).text);
    const calls = chunks.flatMap(({ choices }) => {
      return objectsOf(choices).flatMap(({ delta }) => (isObject(delta) ? objectsOf(delta.tool_calls) : []));
    });
    expect(calls.map(({ custom }) => (isObject(custom) ? stringOf(custom.input) : "")).join("")).toBe(input);
  });

  it("tells thinking where the scenario is of a server that does", async () => {
    await provider.close();
    await start({ ...scenario, reasoningContent: true });
    expect((await post()).json.choices[0].message.reasoning_content).toBe("I look first.");
    const chunks = dataOf((await post({ stream: true })).text);
    expect(JSON.stringify(chunks)).toContain('"reasoning_content":"I look first."');
  });

  it("follows a schema that the request states", async () => {
    const schema = {
      type: "object",
      properties: {
        next: { enum: ["user", "model"] },
        count: { type: "integer" },
        ok: { type: "boolean" },
        list: { type: "array" },
      },
    };
    const { json } = await post({ response_format: { type: "json_schema", json_schema: { name: "n", schema } } });
    expect(JSON.parse(json.choices[0].message.content)).toEqual({ next: "user", count: 1, ok: false, list: [] });
  });
});

describe("the cache", () => {
  const usage = async (fields: JsonObject = {}) => (await post(fields)).json.usage;

  it("is read in steps of 128 tokens, and lives as long as the model's prefixes do", async () => {
    expect((await usage()).prompt_tokens_details).toEqual({ cached_tokens: 0, audio_tokens: 0 });
    const { prompt_tokens: tokens, prompt_tokens_details: details } = await usage();
    expect(details.cached_tokens).toBe(tokens - (tokens % 128));
    expect(provider.requests()[1]?.usage).toMatchObject({ cacheReadTokens: details.cached_tokens });
    provider.advanceClock(openaiProvider.modelFacts("gpt-4.1").ttlDefaultMs);
    expect((await usage()).prompt_tokens_details.cached_tokens).toBe(0);
  });

  it("is kept for a day where the request asks for it", async () => {
    const openai = {
      modelIds: [],
      modelFacts: () => ({ ...openaiProvider.modelFacts("gpt-4.1"), ttlDefaultMs: HOUR_MS }),
    };
    await withModels(openai, async (short) => {
      const cached = async (fields: JsonObject = {}) => {
        const { json } = await ask(`${short.url}/v1/chat/completions`, body(fields));
        return json.usage.prompt_tokens_details.cached_tokens;
      };
      await cached();
      short.advanceClock(HOUR_MS);
      expect(await cached({ prompt_cache_retention: "24h" })).toBe(0);
      short.advanceClock(23 * HOUR_MS);
      expect(await cached()).toBeGreaterThan(1_024);
    });
  });

  it("takes a text and its one part for the same, and is lost behind a change", async () => {
    await usage();
    const asParts = [
      { role: "system", content: [{ type: "text", text: "s".repeat(6_000) }] },
      { role: "user", content: [{ type: "text", text: "go" }] },
    ];
    expect((await usage({ messages: asParts })).prompt_tokens_details.cached_tokens).toBeGreaterThan(1_024);
    expect((await usage({ tools: [tool("read", "path")] })).prompt_tokens_details.cached_tokens).toBe(0);
  });

  it("is written at breakpoints by models that say so", async () => {
    const first = (await usage({ model: "gpt-5.6-sol" })).prompt_tokens_details;
    expect(first).toMatchObject({ cached_tokens: 0, cache_write_tokens: expect.any(Number) });
    const second = (await usage({ model: "gpt-5.6-sol" })).prompt_tokens_details;
    expect(second).toMatchObject({ cached_tokens: first.cache_write_tokens, cache_write_tokens: 0 });
    const none = await usage({ model: "gpt-5.6-luna", prompt_cache_options: { mode: "explicit" } });
    expect(none.prompt_tokens_details).toMatchObject({ cached_tokens: 0, cache_write_tokens: 0 });
    const marked = { type: "text", text: "s".repeat(6_000), prompt_cache_breakpoint: { mode: "explicit" } };
    const messages = [
      { role: "system", content: [marked] },
      { role: "user", content: "go" },
    ];
    const stated = await usage({ model: "gpt-5.6-luna", prompt_cache_options: { mode: "explicit" }, messages });
    expect(stated.prompt_tokens_details.cache_write_tokens).toBeGreaterThan(1_024);
  });

  it("is told in DeepSeek's own figures where the models are DeepSeek's", async () => {
    await withModels(deepseekProvider, async ({ url }) => {
      const asked = () => ask(`${url}/chat/completions`, body({ model: "deepseek-v4-flash" }));
      await asked();
      const { usage: again } = (await asked()).json;
      expect(again).toMatchObject({ prompt_cache_hit_tokens: again.prompt_tokens, prompt_cache_miss_tokens: 0 });
    });
  });

  it.each([
    ["zero", { cached_tokens: 0, audio_tokens: 0 }],
    ["null", null],
  ] as const)("is never told where figures are %s", async (cacheFigures, details) => {
    await provider.close();
    await start({ ...scenario, cacheFigures });
    await usage();
    expect((await usage()).prompt_tokens_details).toEqual(details);
    expect(provider.requests()[1]?.usage?.cacheReadTokens).toBeGreaterThan(1_024);
  });
});

describe("injected faults", () => {
  it("are errors in OpenAI's shape", async () => {
    provider.fault({ status: 429, retryAfter: 2 });
    const { status, headers, json } = await post();
    expect([status, headers.get("retry-after")]).toEqual([429, "2"]);
    expect(json.error).toEqual({
      message: "Injected fault.",
      type: "requests",
      param: null,
      code: "rate_limit_exceeded",
    });
  });

  it("cut a stream", async () => {
    provider.fault({ cutAfterEvents: 3 });
    await expect(post({ stream: true })).rejects.toThrow();
    expect(provider.requests()[0]).toMatchObject({ status: 200, end: "cut" });
  });
});

async function withModels(openai: ModelTable, use: (provider: SimulatedProvider) => Promise<void>): Promise<void> {
  const otherModels = { openai, gemini: geminiProvider };
  const other = await startSimulatedProvider({ models: anthropicProvider, otherModels, scenario });
  try {
    await use(other);
  } finally {
    await other.close();
  }
}

/** What a client makes of the chunks of a stream. */
function messageIn(chunks: readonly JsonObject[]) {
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  let content = "";
  let role = "";
  let finish_reason: unknown = null;
  for (const choice of chunks.flatMap(({ choices }) => objectsOf(choices))) {
    const delta = isObject(choice.delta) ? choice.delta : {};
    role += stringOf(delta.role);
    content += stringOf(delta.content);
    finish_reason = choice.finish_reason ?? finish_reason;
    for (const piece of objectsOf(delta.tool_calls)) {
      const called = isObject(piece.function) ? piece.function : {};
      const index = Number(piece.index);
      calls[index] ??= { id: stringOf(piece.id), type: stringOf(piece.type), function: { name: "", arguments: "" } };
      const call = calls[index];
      call.function.name += stringOf(called.name);
      call.function.arguments += stringOf(called.arguments);
    }
  }
  return { role, content, tool_calls: calls, finish_reason };
}
