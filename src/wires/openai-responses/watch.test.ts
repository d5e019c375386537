import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALLS_MAX, RESPONSE_BYTES_MAX } from "../shared/watch.ts";
import { watchResponse } from "./watch.ts";

const event = (data: { readonly type?: string; readonly [name: string]: unknown }) =>
  `${data.type === undefined ? "" : `event: ${data.type}\n`}data: ${JSON.stringify(data)}\n\n`;
const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "read",
  arguments: "{}",
  status: "completed",
};
const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "apply_patch", input: "é" };
const usage = {
  input_tokens: 84,
  input_tokens_details: { cached_tokens: 70, cache_write_tokens: 9 },
  output_tokens: 42,
  output_tokens_details: { reasoning_tokens: 12 },
  total_tokens: 126,
};
const response = { id: "resp_1", object: "response", status: "completed", error: null, output: [call, custom], usage };
const begun = { ...response, status: "in_progress", output: [], usage: null };
const stream = [
  event({ type: "response.created", sequence_number: 0, response: begun }),
  event({ type: "response.in_progress", sequence_number: 1, response: begun }),
  event({
    type: "response.output_item.added",
    output_index: 0,
    item: { ...call, arguments: "", status: "in_progress" },
  }),
  event({ type: "response.function_call_arguments.delta", output_index: 0, delta: "{é" }),
  event({ type: "response.output_item.done", output_index: 0, item: call }),
  event({ type: "response.output_item.done", output_index: 1, item: custom }),
  event({ type: "response.completed", sequence_number: 6, response }),
].join("");
const calls = [
  { id: "call_1", name: "read" },
  { id: "call_2", name: "apply_patch" },
];
const facts = {
  usage: { inputTokens: 5, cacheReadTokens: 70, cacheWriteTokens: 9, outputTokens: 42 },
  messageId: "resp_1",
  stopReason: "completed",
  errorType: null,
  calls,
  isComplete: true,
};
const nothing = { usage: null, messageId: null, stopReason: null, errorType: null, calls: [], isComplete: false };

function watch(isStreaming: boolean, ...chunks: (string | Uint8Array)[]) {
  const watcher = watchResponse(isStreaming);
  for (const chunk of chunks) watcher.push(Buffer.from(chunk));
  return watcher.finish();
}

describe("watching a stream", () => {
  it("learns usage, id, calls and end, wherever the bytes are cut", () => {
    const bytes = Buffer.from(stream.replaceAll("\n", "\r\n"));
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(bytes.length), (one, other) => {
        const [a, b] = [Math.min(one, other), Math.max(one, other)];
        expect(watch(true, bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b))).toEqual(facts);
      }),
      { numRuns: 100 },
    );
  });

  it("reads events without names by their data", () => {
    expect(watch(true, stream.replace(/^event: .*\n/gm, ""))).toEqual(facts);
  });

  it("knows the calls of a stream whose end repeats none of its items, and of one that tells them at its end alone", () => {
    const last = (output: readonly object[]) =>
      event({ type: "response.completed", response: { ...response, output } });
    const head = stream.slice(0, stream.lastIndexOf("event: response.completed"));
    expect(watch(true, head + last([]))).toEqual(facts);
    expect(watch(true, last([call, custom]))).toEqual(facts);
  });

  it("notes so many calls and no more", () => {
    const many = Array.from({ length: CALLS_MAX + 5 }, (_, index) => ({ ...call, call_id: `call_${index}` }));
    const told = watch(true, event({ type: "response.completed", response: { ...response, output: many } }));
    expect(told.calls).toHaveLength(CALLS_MAX);
  });

  it("is no whole answer until it says so", () => {
    const head = stream.slice(0, stream.lastIndexOf("event: response.completed"));
    expect(watch(true, head)).toEqual({ ...facts, usage: null, stopReason: null, isComplete: false });
    expect(watch(true, "")).toEqual(nothing);
  });

  it("says why an answer is incomplete", () => {
    const cut = { ...response, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    const told = watch(true, event({ type: "response.incomplete", response: cut }));
    expect(told).toMatchObject({ stopReason: "max_output_tokens", isComplete: true, errorType: null });
  });

  it.each([
    [
      {
        type: "response.failed",
        response: { ...response, status: "failed", error: { code: "server_error", message: "x" } },
      },
      "server_error",
    ],
    [{ type: "response.failed", response: { ...response, status: "failed", error: null } }, "unknown"],
    [
      { type: "error", code: "rate_limit_exceeded", message: "x", param: null, sequence_number: 3 },
      "rate_limit_exceeded",
    ],
    [{ type: "error", error: { type: "invalid_request_error", code: null, message: "x" } }, "invalid_request_error"],
    [{ type: "error", message: "x" }, "unknown"],
  ])("is an error where %o comes", (data, errorType) => {
    expect(watch(true, event(data))).toMatchObject({ errorType, isComplete: false });
  });

  it.each(["1e400", "-1", "0.5", '"9"', "true", "null", "[1]", "{}"])("takes %s for no count", (told) => {
    const json = `{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":${told},"output_tokens":7,"input_tokens_details":{"cached_tokens":${told}}}}}`;
    const counted = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 7 };
    expect(watch(true, `data: ${json}\n\n`)).toMatchObject({ usage: counted, isComplete: true });
  });

  it("never counts more out of the cache than came in", () => {
    const odd = {
      input_tokens: 10,
      output_tokens: 1,
      input_tokens_details: { cached_tokens: 70, cache_write_tokens: 9 },
    };
    const told = watch(true, event({ type: "response.completed", response: { ...response, usage: odd } }));
    expect(told.usage).toEqual({ inputTokens: 0, cacheReadTokens: 10, cacheWriteTokens: 0, outputTokens: 1 });
  });
});

describe("watching a whole response", () => {
  it("learns the same", () => {
    const bytes = Buffer.from(JSON.stringify(response, null, 1));
    expect(watch(false, bytes.subarray(0, 9), bytes.subarray(9))).toEqual(facts);
  });

  it("names a refusal by its code, else by its type", () => {
    const refusal = (error: object) => JSON.stringify({ error: { message: "x", param: null, ...error } });
    const named = { type: "invalid_request_error", code: "context_length_exceeded" };
    expect(watch(false, refusal(named))).toEqual({ ...nothing, errorType: "context_length_exceeded" });
    expect(watch(false, refusal({ type: "server_error", code: null }))).toEqual({
      ...nothing,
      errorType: "server_error",
    });
  });

  it("that goes on in the background is not complete", () => {
    expect(watch(false, JSON.stringify({ ...response, status: "queued" }))).toMatchObject({ isComplete: false });
  });

  it.each(["", "{", "7", "[]", "<html>"])("learns nothing from %s", (body) => {
    expect(watch(false, body)).toEqual(nothing);
  });

  it("learns nothing from one that is too long", () => {
    const pad = Buffer.alloc(RESPONSE_BYTES_MAX, 0x20);
    expect(watch(false, JSON.stringify(response), pad)).toEqual(nothing);
  });
});
