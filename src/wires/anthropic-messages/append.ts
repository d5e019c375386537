import { insertion, spliceBody } from "../shared/splice.ts";
import { modelMessage, userMessage } from "./message-json.ts";
import type { AnthropicSource } from "./source.ts";

/** The body with a message of the model behind its last one, and behind that the results. */
export function appendRound(
  body: Uint8Array,
  source: AnthropicSource,
  blocks: readonly string[],
  results: readonly string[],
): Uint8Array {
  const { transcript, fields } = source;
  const last = source.messageAt(transcript.messages.length - 1);
  const messages = `${modelMessage(blocks)},${userMessage(results)}`;
  const splice = last === null ? insertion(fields.messages.start + 1, messages) : insertion(last.end, `,${messages}`);
  return Buffer.concat(spliceBody(body, [splice]));
}
