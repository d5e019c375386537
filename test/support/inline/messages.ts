import type { JsonObject } from "../../../src/model/json.ts";

/** A response to one round, as parts that a test names. */
export interface RoundMessage {
  readonly blocks: readonly JsonObject[];
  readonly stop?: string;
  readonly usage?: JsonObject;
  readonly id?: string;
}

/** A text of the model. */
export const text = (words: string): JsonObject => ({ type: "text", text: words });
/** Signed thinking. */
export const thinking = (words: string): JsonObject => ({
  type: "thinking",
  thinking: words,
  signature: `sig-${words}`,
});
/** A call of Ebb's own tool. */
export const recall = (id: string, input: JsonObject = { id }): JsonObject => call(id, "ebb_recall", input);
/** A call of any tool. */
export const call = (id: string, name = "Read", input: JsonObject = { path: id }): JsonObject => ({
  type: "tool_use",
  id,
  name,
  input,
});

const USAGE = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5, output_tokens: 7 };

/** The response as one body; it stops for tools where it calls one. */
export function messageOf({ blocks, stop, usage = USAGE, id = "msg_1" }: RoundMessage): JsonObject {
  const calls = blocks.some(({ type }) => type === "tool_use");
  return {
    id,
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: blocks,
    stop_reason: stop ?? (calls ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage,
  };
}

/** The response as the events of a stream, one string each. */
export function eventsOfRound(round: RoundMessage): readonly string[] {
  const { content, stop_reason, stop_sequence, usage, ...rest } = messageOf(round);
  const begun = { ...rest, content: [], stop_reason: null, usage: { ...Object(usage), output_tokens: 1 } };
  return [
    event("message_start", { message: begun }),
    event("ping", {}),
    ...round.blocks.flatMap(blockEvents),
    event("message_delta", { delta: { stop_reason, stop_sequence }, usage }),
    event("message_stop", {}),
  ];
}

function event(name: string, members: object): string {
  return `event: ${name}\ndata: ${JSON.stringify({ type: name, ...members })}\n\n`;
}

function blockEvents(block: JsonObject, index: number): readonly string[] {
  const { opened, deltas } = partsOf(block);
  return [
    event("content_block_start", { index, content_block: { ...block, ...opened } }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

function partsOf(block: JsonObject): { readonly opened: object; readonly deltas: readonly object[] } {
  const halves = (words: unknown) => [String(words).slice(0, 3), String(words).slice(3)];
  switch (block.type) {
    case "text":
      return { opened: { text: "" }, deltas: halves(block.text).map((text) => ({ type: "text_delta", text })) };
    case "thinking": {
      const deltas = halves(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
      const signature = { type: "signature_delta", signature: block.signature };
      return { opened: { thinking: "", signature: "" }, deltas: [...deltas, signature] };
    }
    case "tool_use":
    case "server_tool_use": {
      const pieces = ["", ...halves(JSON.stringify(block.input))];
      const deltas = pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
      return { opened: { input: {} }, deltas };
    }
    default:
      return { opened: {}, deltas: [] };
  }
}

/** The response as a stream. */
export function streamOf(message: RoundMessage): string {
  return eventsOfRound(message).join("");
}

/** The response without streaming, as a response of a playbook. */
export function wholeOf(message: RoundMessage): { readonly whole: string } {
  return { whole: JSON.stringify(messageOf(message)) };
}
