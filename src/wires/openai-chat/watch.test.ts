import { describe, expect, it } from "vitest";
import { RESPONSE_BYTES_MAX } from "../shared/watch.ts";
import { createOpenaiChat } from "./index.ts";
import { watchResponse } from "./watch.ts";

const line = (data: unknown) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const chunk = (delta: object, reason: string | null = null, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, logprobs: null, finish_reason: reason, ...more }],
  usage: null,
});
const call = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });
const usage = {
  prompt_tokens: 84,
  completion_tokens: 42,
  total_tokens: 126,
  prompt_tokens_details: { cached_tokens: 70, cache_write_tokens: 9, audio_tokens: 0 },
};
const facts = {
  usage: { inputTokens: 5, cacheReadTokens: 70, cacheWriteTokens: 9, outputTokens: 42 },
  messageId: "chatcmpl-1",
  stopReason: "tool_calls",
  errorType: null,
  calls: [{ id: "call_1", name: "read" }],
  isComplete: true,
};
const nothing = { usage: null, messageId: null, stopReason: null, errorType: null, calls: [], isComplete: false };
const begun = call(0, { id: "call_1", type: "function", function: { name: "read", arguments: "" } });

function watch(isStreaming: boolean, ...parts: readonly unknown[]) {
  const watcher = watchResponse(isStreaming);
  for (const part of parts) watcher.push(Buffer.from(isStreaming ? line(part) : JSON.stringify(part)));
  return watcher.finish();
}

describe("watching a stream", () => {
  it("learns usage without what was cached, id, stop reason, calls and end", () => {
    const parts = [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "é" }),
      chunk(begun),
      chunk(call(0, { function: { arguments: '{"a":1}' } })),
      chunk({}, "tool_calls"),
      { id: "chatcmpl-1", choices: [], usage },
      "[DONE]",
    ];
    expect(watch(true, ...parts)).toEqual(facts);
    expect(watch(true, ...parts.slice(0, 4))).toEqual({ ...facts, usage: null, stopReason: null, isComplete: false });
  });

  it.each([
    ["in the last choice", [chunk({}, "stop", { usage })]],
    ["in a member of the server's own", [{ ...chunk({}, "stop"), x_groq: { id: "r", usage } }]],
    [
      "in each chunk, growing",
      [
        { ...chunk({ content: "a" }), usage: { prompt_tokens: 1 } },
        { ...chunk({}, "stop"), usage },
      ],
    ],
  ])("finds usage %s", (_, chunks) => expect(watch(true, ...chunks).usage).toEqual(facts.usage));

  it("ends without [DONE] where every choice ended", () => {
    expect(watch(true, chunk({ content: "a" }, "stop")).isComplete).toBe(true);
    const second = { ...chunk({}), choices: [{ index: 1, delta: { content: "b" } }] };
    expect(watch(true, chunk({ content: "a" }), second, chunk({}, "stop"))).toMatchObject({ isComplete: false });
    const ended = { ...chunk({}), choices: [{ index: 1, delta: {}, finish_reason: "length" }] };
    expect(watch(true, chunk({ content: "a" }), second, chunk({}, "stop"), ended)).toMatchObject({
      isComplete: true,
      stopReason: "stop",
    });
  });

  it("notes a call once, whole in one chunk or with its id in each, and none without id or name", () => {
    const whole = call(0, { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } });
    expect(watch(true, chunk(whole), chunk(whole)).calls).toEqual(facts.calls);
    const unnamed = [{ function: { name: "read" } }, { id: "", function: { name: "read" } }, { id: "x", function: {} }];
    expect(watch(true, ...unnamed.map((one) => chunk(call(0, one)))).calls).toEqual([]);
    const custom = { id: "call_1", type: "custom", custom: { name: "read", input: "" } };
    expect(watch(true, chunk(call(0, custom))).calls).toEqual(facts.calls);
  });

  it.each([
    ["OpenAI's", { error: { message: "m", type: "server_error", code: null } }, "server_error"],
    [
      "one with a code",
      { error: { message: "m", type: "x", code: "context_length_exceeded" } },
      "context_length_exceeded",
    ],
    [
      "a router's",
      { error: { message: "m", code: 502 }, choices: [{ index: 0, delta: {}, finish_reason: "error" }] },
      "502",
    ],
    ["words", { error: "out of memory" }, "unknown"],
    ["vLLM's", { object: "error", message: "m", type: "BadRequestError", code: 400 }, "BadRequestError"],
    ["Google's", [{ error: { code: 400, message: "m", status: "INVALID_ARGUMENT" } }], "INVALID_ARGUMENT"],
    ["a choice that failed", chunk({}, "error"), "unknown"],
  ])("names an error inside it and does not take it for whole: %s", (_, told, errorType) => {
    expect(watch(true, chunk({ content: "a" }), told, "[DONE]")).toMatchObject({ errorType, isComplete: false });
    expect(watch(false, told)).toMatchObject({ errorType });
  });

  it("passes over what it cannot read", () => {
    expect(watch(true, "{", "[]", "1", { choices: 1 }, { choices: [1, { delta: { tool_calls: [1] } }] })).toEqual(
      nothing,
    );
  });
});

describe("watching a response without streaming", () => {
  it("learns the same of it", () => {
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
    };
    const body = { id: "chatcmpl-1", choices: [{ index: 0, finish_reason: "tool_calls", message }], usage };
    expect(watch(false, body)).toEqual(facts);
  });

  it("knows nothing of what is over-long or no JSON", () => {
    expect(watch(false, "text")).toEqual(nothing);
    const watcher = watchResponse(false);
    watcher.push(Buffer.alloc(RESPONSE_BYTES_MAX));
    watcher.push(Buffer.from("{}"));
    expect(watcher.finish()).toEqual(nothing);
  });
});

describe("usage", () => {
  const of = (reported: object | null) => watch(false, { choices: [], usage: reported }).usage;
  const counts = (inputTokens: number, cacheReadTokens: number, cacheWriteTokens: number, outputTokens: number) => ({
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
  });

  it.each([
    [
      "hits and misses",
      { prompt_cache_hit_tokens: 7, prompt_cache_miss_tokens: 3, completion_tokens: 1 },
      counts(3, 7, 0, 1),
    ],
    ["hits", { prompt_tokens: 10, prompt_cache_hit_tokens: 7, completion_tokens: 1 }, counts(3, 7, 0, 1)],
    ["a count beside", { prompt_tokens: 10, cached_tokens: 7, completion_tokens: 1 }, counts(3, 7, 0, 1)],
    [
      "another API's words",
      { prompt_tokens: 10, cache_read_input_tokens: 7, cache_creation_input_tokens: 2 },
      counts(1, 7, 2, 0),
    ],
    ["nothing cached", { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: null }, counts(10, 0, 0, 1)],
    ["more cached than came", { prompt_tokens: 10, cached_tokens: 11, completion_tokens: 1 }, counts(0, 10, 0, 1)],
    ["no counts", { prompt_tokens: -1, completion_tokens: "1" }, null],
    ["null", null, null],
  ])("is told by %s", (_, reported, expected) => expect(of(reported)).toEqual(expected));
});

describe("a refusal of Ebb's own", () => {
  it("has the API's form", () => {
    const wire = createOpenaiChat();
    const told = (kind: "unavailable" | "invalid") => JSON.parse(Buffer.from(wire.errorBody(kind, "w")).toString());
    expect(told("unavailable")).toEqual({ error: { message: "w", type: "server_error", param: null, code: null } });
    expect(told("invalid").error.type).toBe("invalid_request_error");
  });

  it("is for requests of the path, wherever it begins", () => {
    const { route } = createOpenaiChat();
    const paths = ["/v1/chat/completions", "/chat/completions", "/openai/deployments/d/chat/completions"];
    for (const path of paths) expect(route("POST", path)).toEqual({ kind: "generate", model: null });
    for (const path of ["/v1/completions", "/v1/chat/completions/c1", "/v1/responses"])
      expect(route("POST", path)).toBeNull();
    expect(route("GET", "/v1/chat/completions")).toBeNull();
  });
});
