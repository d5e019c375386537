import type { JsonObject } from "../../../model/json.ts";
import type { Streamed } from "../api.ts";
import { isObject, objectsOf, omit, stringOf } from "../json.ts";
import { piecesOf } from "../pieces.ts";

/** A completion as the chunks of a stream, with usage in the last one where the request asks for it. */
export function chatEvents(completion: JsonObject, body: JsonObject): Streamed {
  const [choice = {}] = objectsOf(completion.choices);
  const message = isObject(choice.message) ? choice.message : {};
  const options = isObject(body.stream_options) ? body.stream_options : {};
  const hasUsage = options.include_usage === true;
  const base = { ...omit(omit(completion, "choices"), "usage"), object: "chat.completion.chunk" };
  const chunk = (delta: JsonObject, finishReason: string | null = null): JsonObject => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(hasUsage ? { usage: null } : {}),
  });
  const chunks = [
    ...deltasOf(message).map((delta) => chunk(delta)),
    chunk({}, stringOf(choice.finish_reason)),
    ...(hasUsage ? [{ ...base, choices: [], usage: completion.usage ?? null }] : []),
  ];
  return {
    contentType: "text/event-stream; charset=utf-8",
    events: [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), "data: [DONE]\n\n"],
  };
}

function deltasOf(message: JsonObject): readonly JsonObject[] {
  const text = message.content;
  return [
    { role: "assistant", content: text === null ? null : "", refusal: null },
    ...piecesOf(stringOf(message.reasoning_content)).map((reasoning_content) => ({ reasoning_content })),
    ...piecesOf(stringOf(text)).map((content) => ({ content })),
    ...objectsOf(message.tool_calls).flatMap(callDeltas),
    ...functionDeltas(message.function_call),
  ];
}

function callDeltas(call: JsonObject, index: number): readonly JsonObject[] {
  const kind = call.type === "custom" ? "custom" : "function";
  const member = kind === "custom" ? "input" : "arguments";
  const called = isObject(call[kind]) ? call[kind] : {};
  const opened = { index, id: call.id ?? null, type: kind, [kind]: { name: called.name ?? null, [member]: "" } };
  return [
    { tool_calls: [opened] },
    ...piecesOf(stringOf(called[member])).map((piece) => ({ tool_calls: [{ index, [kind]: { [member]: piece } }] })),
  ];
}

function functionDeltas(called: JsonObject[string] | undefined): readonly JsonObject[] {
  if (!isObject(called)) return [];
  return [
    { function_call: { name: called.name ?? null, arguments: "" } },
    ...piecesOf(stringOf(called.arguments)).map((piece) => ({ function_call: { arguments: piece } })),
  ];
}
