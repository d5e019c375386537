import { insertion, spliceBody } from "../shared/splice.ts";
import { thoughtCall } from "./call-json.ts";
import type { ChatSource } from "./source.ts";

/** The body with a message of the model behind its last one, and behind that the results. The first block is the message, the others its calls. */
export function appendRound(
  body: Uint8Array,
  { fields, spans }: ChatSource,
  [message = "{}", ...blocks]: readonly string[],
  results: readonly string[],
): Uint8Array {
  const calls = blocks.map((json) => thoughtCall(json).call).join(",");
  const messages = [`${message.slice(0, -1)},"tool_calls":[${calls}]}`, ...results].join(",");
  const last = spans.at(-1);
  const splice =
    last === undefined ? insertion(fields.messages.start + 1, messages) : insertion(last.end, `,${messages}`);
  return Buffer.concat(spliceBody(body, [splice]));
}
