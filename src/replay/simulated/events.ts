import type { JsonObject } from "../../model/json.ts";
import { isObject, objectsOf, stringOf } from "./json.ts";
import { piecesOf } from "./pieces.ts";

/**
 * A message as server-sent events, one string an event, in the order the API sends them. What was cleared from the prompt
 * is told at the end, what became of thinking at the start.
 */
export function eventsOf(message: JsonObject): readonly string[] {
  const usage = isObject(message.usage) ? message.usage : {};
  const { context_management: cleared, ...rest } = message;
  const opened = { ...rest, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const closing = cleared === undefined ? {} : { context_management: cleared };
  return [
    event("message_start", { message: opened }),
    event("ping", {}),
    ...objectsOf(message.content).flatMap(blockEvents),
    event("message_delta", {
      delta: { stop_reason: message.stop_reason ?? null, stop_sequence: null },
      usage,
      ...closing,
    }),
    event("message_stop", {}),
  ];
}

function event(name: string, fields: JsonObject): string {
  return `event: ${name}\ndata: ${JSON.stringify({ type: name, ...fields })}\n\n`;
}

function blockEvents(block: JsonObject, index: number): readonly string[] {
  return [
    event("content_block_start", { index, content_block: openedOf(block) }),
    ...deltasOf(block).map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

function openedOf(block: JsonObject): JsonObject {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} };
}

function deltasOf(block: JsonObject): readonly JsonObject[] {
  if (block.type === "text") {
    return piecesOf(stringOf(block.text)).map((text) => ({ type: "text_delta", text }));
  }
  if (block.type === "thinking") {
    return [
      ...piecesOf(stringOf(block.thinking)).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: stringOf(block.signature) },
    ];
  }
  const pieces = ["", ...piecesOf(JSON.stringify(block.input ?? {}))];
  return pieces.map((partial) => ({ type: "input_json_delta", partial_json: partial }));
}
