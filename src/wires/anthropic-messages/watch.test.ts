import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RESPONSE_BYTES_MAX } from "../shared/watch.ts";
import { createAnthropicMessages } from "./index.ts";
import { watchResponse } from "./watch.ts";

const event = (data: object, name = (data as { type?: string }).type) =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const start = {
  type: "message_start",
  message: {
    id: "msg_1",
    usage: {
      input_tokens: 5,
      cache_read_input_tokens: 70,
      cache_creation_input_tokens: 9,
      cache_creation: { ephemeral_5m_input_tokens: 9 },
      output_tokens: 1,
    },
  },
};
const delta = { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 42 } };
const stream = [
  event(start),
  event({ type: "ping" }),
  event({ type: "content_block_delta", delta: { text: "é" } }),
  event(delta),
  event({ type: "message_stop" }),
].join("");
const facts = {
  usage: { inputTokens: 5, cacheReadTokens: 70, cacheWriteTokens: 9, outputTokens: 42 },
  messageId: "msg_1",
  stopReason: "tool_use",
  errorType: null,
  calls: [],
  isComplete: true,
};
const nothing = { usage: null, messageId: null, stopReason: null, errorType: null, calls: [], isComplete: false };

function watch(isStreaming: boolean, ...chunks: (string | Uint8Array)[]) {
  const watcher = watchResponse(isStreaming);
  for (const chunk of chunks) watcher.push(Buffer.from(chunk));
  return watcher.finish();
}

describe("watching a stream", () => {
  it("learns usage, id, stop reason and end, wherever the bytes are cut", () => {
    expect(watch(true, stream)).toEqual(facts);
    const bytes = Buffer.from(stream.replaceAll("\n", "\r\n"));
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(bytes.length), (one, other) => {
        const [a, b] = [Math.min(one, other), Math.max(one, other)];
        expect(watch(true, bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b))).toEqual(facts);
      }),
      { numRuns: 50 },
    );
  });

  it("reads events without names by their data", () => {
    expect(watch(true, stream.replace(/^event: .*\n/gm, ""))).toEqual(facts);
  });

  it("lets later values of usage win and keeps those not repeated", () => {
    const late = {
      type: "message_delta",
      delta: {},
      usage: { output_tokens: 43, input_tokens: 6, cache_read_input_tokens: null },
    };
    expect(watch(true, event(start), event(delta), event(late)).usage).toEqual({
      ...facts.usage,
      inputTokens: 6,
      outputTokens: 43,
    });
  });

  it.each(["1e400", "-1", "0.5", "1e300", '"9"', "true", "null", "[1]"])("takes %s for no count", (told) => {
    const line = (data: string) => `event: message_delta\ndata: ${data}\n\n`;
    const usage = `{"input_tokens":${told},"cache_read_input_tokens":${told},"output_tokens":43}`;
    const cleared = `{"type":"clear_tool_uses_20250919","cleared_tool_uses":${told},"cleared_input_tokens":${told}}`;
    const late = `{"type":"message_delta","usage":${usage},"context_management":{"applied_edits":[${cleared}]}}`;
    expect(watch(true, event(start), line(late))).toMatchObject({
      usage: { ...facts.usage, outputTokens: 43 },
      serverCleared: { uses: 0, tokens: 0 },
    });
  });

  it("says that a cut stream is not complete, and names an error inside it", () => {
    expect(watch(true, event(start), event(delta))).toEqual({ ...facts, isComplete: false });
    const error = { type: "error", error: { type: "overloaded_error", message: "m" } };
    expect(watch(true, event(start), event(error))).toMatchObject({
      errorType: "overloaded_error",
      calls: [],
      isComplete: false,
    });
  });

  it("passes over what it cannot read", () => {
    const odd = [
      "event: message_delta\ndata: {\n\n",
      "event: message_start\ndata: []\n\n",
      event({ type: "message_start" }),
      event({ type: "error" }),
    ];
    expect(watch(true, ...odd)).toEqual({ ...nothing, errorType: "unknown" });
    expect(watch(true, "not a stream")).toEqual(nothing);
  });
});

describe("calls of a response", () => {
  const call = { type: "tool_use", id: "toolu_1", name: "Read", input: {} };

  it("are noted by id and name, streamed or whole", () => {
    const block = { type: "content_block_start", index: 0, content_block: call };
    const streamed = watch(true, `event: content_block_start\ndata: ${JSON.stringify(block)}\n\n`);
    expect(streamed.calls).toEqual([{ id: "toolu_1", name: "Read" }]);
    const whole = watch(false, JSON.stringify({ type: "message", content: [{ type: "text", text: "a" }, call] }));
    expect(whole.calls).toEqual([{ id: "toolu_1", name: "Read" }]);
  });
});

describe("watching a whole response", () => {
  it("learns the same facts", () => {
    const body = JSON.stringify({
      type: "message",
      id: "msg_1",
      stop_reason: "tool_use",
      usage: { ...start.message.usage, output_tokens: 42 },
    });
    expect(watch(false, body.slice(0, 20), body.slice(20))).toEqual(facts);
  });

  it("names a refusal's error type", () => {
    const body = Buffer.from(createAnthropicMessages().errorBody("unavailable", "why")).toString();
    expect(watch(false, body)).toEqual({ ...nothing, errorType: "overloaded_error", calls: [], isComplete: true });
  });

  it("knows nothing of a cut or over-long one", () => {
    expect(watch(false, '{"id":"msg')).toEqual(nothing);
    const chunk = Buffer.alloc(RESPONSE_BYTES_MAX / 4, 0x20);
    expect(watch(false, chunk, chunk, chunk, chunk, '{"id":"msg_1"}')).toEqual(nothing);
  });
});

describe("the wire", () => {
  const wire = createAnthropicMessages();

  it("takes messages and token counts, by POST alone", () => {
    expect(wire.route("POST", "/v1/messages")).toEqual({ kind: "generate", model: null });
    expect(wire.route("POST", "/v1/messages/count_tokens")).toEqual({ kind: "count", model: null });
    for (const path of ["/v1/messages/", "/v1/messages/batches", "/v1/complete"])
      expect(wire.route("POST", path)).toBeNull();
    expect(wire.route("GET", "/v1/messages")).toBeNull();
  });

  it("reads session names from Claude Code's headers", () => {
    const headers = new Map([
      ["x-claude-code-session-id", "s"],
      ["x-claude-code-agent-id", ""],
    ]);
    expect(wire.hintsOf((name) => headers.get(name) ?? null)).toEqual({
      sessionId: "s",
      agentId: null,
      parentAgentId: null,
      isSubscription: false,
    });
  });

  it.each([
    ["authorization", "Bearer sk-ant-oat01-x", true],
    ["anthropic-beta", "claude-code-20250219, oauth-2025-04-20", true],
    ["authorization", "Bearer sk-ant-api03-x", false],
    ["anthropic-beta", "no-oauth-2025-04-20", false],
    ["x-api-key", "sk-ant-oat01-x", false],
  ])("sees by %s: %s whether a subscription pays", (header, value, expected) => {
    expect(wire.hintsOf((name) => (name === header ? value : null)).isSubscription).toBe(expected);
  });

  it("reads the session's name of a client that names nothing else", () => {
    const hints = wire.hintsOf((name) => (name === "x-session-id" ? "ses_1" : null));
    expect(hints).toEqual({ sessionId: "ses_1", agentId: null, parentAgentId: null, isSubscription: false });
  });

  it("refuses in the API's own shape", () => {
    expect(JSON.parse(Buffer.from(wire.errorBody("invalid", 'a "b"')).toString())).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: 'a "b"' },
    });
  });
});

describe("what the provider cleared by itself", () => {
  const management = {
    applied_edits: [
      { type: "clear_thinking_20251015", cleared_thinking_turns: 2, cleared_input_tokens: 90 },
      { type: "clear_tool_uses_20250919", cleared_tool_uses: 4, cleared_input_tokens: 5_000 },
    ],
  };
  const cleared = { uses: 4, tokens: 5_000 };
  const told = (value: unknown) => ({ type: "message", context_management: value });

  it("is learned from a body, and from the end of a stream", () => {
    expect(watch(false, JSON.stringify(told(management))).serverCleared).toEqual(cleared);
    const early = event({ type: "message_start", message: { context_management: null } });
    const late = event({ ...delta, context_management: management });
    expect(watch(true, early, late, event({ type: "message_stop" })).serverCleared).toEqual(cleared);
  });

  it.each([
    ["no edit was applied", { applied_edits: [] }, { uses: 0, tokens: 0 }],
    ["thinking alone was cleared", { applied_edits: management.applied_edits.slice(0, 1) }, { uses: 0, tokens: 0 }],
    ["the figures make no sense", { applied_edits: [{ type: "clear_tool_uses_20250919" }, 7] }, { uses: 0, tokens: 0 }],
    ["nothing is told", null, undefined],
    ["only a count is told", { original_input_tokens: 7 }, undefined],
  ])("is as little as that where %s", (_, value, expected) => {
    expect(watch(false, JSON.stringify(told(value))).serverCleared).toEqual(expected);
  });

  it("is told apart from a refusal to clear", () => {
    const refusal = (type: string) =>
      watch(false, JSON.stringify({ type: "error", error: { type, message: "context_management: Extra inputs" } }));
    expect(refusal("invalid_request_error")).toMatchObject({ refusesClearing: true });
    expect(refusal("api_error").refusesClearing).toBeUndefined();
  });
});
