import type { JsonObject } from "../../../src/model/json.ts";
import { eventsOf } from "../../../src/replay/simulated/events.ts";

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
export function eventsOfRound(message: RoundMessage): readonly string[] {
  return eventsOf(messageOf(message));
}

/** The response as a stream. */
export function streamOf(message: RoundMessage): string {
  return eventsOfRound(message).join("");
}

/** The response without streaming, as a response of a playbook. */
export function wholeOf(message: RoundMessage): { readonly whole: string } {
  return { whole: JSON.stringify(messageOf(message)) };
}
