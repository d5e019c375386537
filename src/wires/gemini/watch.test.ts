import { describe, expect, it } from "vitest";
import type { ResponseFacts } from "../../model/usage.ts";
import { createGemini } from "./index.ts";

const wire = createGemini();

const USAGE = { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 7, thoughtsTokenCount: 3 };
const PIECES = [
  {
    candidates: [{ content: { role: "model", parts: [{ text: "é😀" }] } }],
    responseId: "r1",
    usageMetadata: { promptTokenCount: 100 },
  },
  { candidates: [{ content: { parts: [{ functionCall: { name: "read", args: {} }, thoughtSignature: "c2ln" }] } }] },
  {
    candidates: [{ content: { parts: [{ functionCall: { id: "c1", name: "run" } }] }, finishReason: "STOP" }],
    usageMetadata: USAGE,
  },
];
const FACTS: ResponseFacts = {
  usage: { inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 10 },
  messageId: "r1",
  stopReason: "STOP",
  errorType: null,
  calls: [
    { id: "", name: "read" },
    { id: "c1", name: "run" },
  ],
  isComplete: true,
};

function watch(isStreaming: boolean, bytes: Uint8Array, size: number): ResponseFacts {
  const watcher = wire.watch(isStreaming);
  for (let at = 0; at < bytes.length; at += size) watcher.push(bytes.subarray(at, at + size));
  return watcher.finish();
}

describe("a response is watched", () => {
  const events = Buffer.from(PIECES.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join(""));
  const list = Buffer.from(JSON.stringify(PIECES, null, 1));

  it.each([1, 2, 3, 7, 1_000])("as events and as a list, in pieces of %i bytes", (size) => {
    expect(watch(true, events, size)).toEqual(FACTS);
    expect(watch(false, list, size)).toEqual(FACTS);
  });

  it("as one value", () => {
    const { messageId, calls, ...rest } = watch(false, Buffer.from(JSON.stringify(PIECES[2])), 5);
    expect({ messageId, calls, ...rest }).toEqual({ ...FACTS, messageId: null, calls: [{ id: "c1", name: "run" }] });
  });

  it("and is not complete without a reason to stop", () => {
    const cut = events.subarray(0, events.length - 200);
    expect(watch(true, cut, 11)).toMatchObject({ isComplete: false, stopReason: null, messageId: "r1" });
  });

  it("and a blocked prompt has ended", () => {
    const blocked = Buffer.from(JSON.stringify({ promptFeedback: { blockReason: "SAFETY" } }));
    expect(watch(false, blocked, 9)).toMatchObject({ isComplete: true, stopReason: "SAFETY", usage: null });
  });

  it.each([
    [false, '{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}', "RESOURCE_EXHAUSTED"],
    [false, '[{"error":{"code":400}}]', "unknown"],
    [true, 'data: {"error":{"status":"INTERNAL"}}\n\n', "INTERNAL"],
  ])("and an error names its type (streaming %s): %s", (isStreaming, text, errorType) => {
    expect(watch(isStreaming, Buffer.from(text), 4)).toMatchObject({ errorType, isComplete: false });
  });

  it.each(["", "{", "null", "[[1]]", '{"usageMetadata":{"promptTokenCount":-1}}', '{"candidates":[null,7]}'])(
    "and tells nothing of %j",
    (text) => expect(watch(false, Buffer.from(text), 3)).toMatchObject({ usage: null, calls: [], isComplete: false }),
  );
});

describe("a refusal of Ebb's own", () => {
  it("is one that clients try again, or not", () => {
    const statusOf = (kind: "unavailable" | "invalid") =>
      JSON.parse(Buffer.from(wire.errorBody(kind, "words")).toString()).error;
    expect(statusOf("unavailable")).toEqual({ code: 503, message: "words", status: "UNAVAILABLE" });
    expect(statusOf("invalid")).toEqual({ code: 400, message: "words", status: "INVALID_ARGUMENT" });
  });
});
