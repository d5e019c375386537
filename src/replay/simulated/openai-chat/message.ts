import type { JsonObject } from "../../../model/json.ts";
import type { Answer } from "../answer.ts";
import { stringOf } from "../json.ts";

/** An answer as the message of a choice, and why it ended. */
export interface ChatMessage {
  readonly message: JsonObject;
  readonly finishReason: "stop" | "tool_calls" | "function_call";
}

/** The message of an answer; `showsReasoning` as compatible servers do, which OpenAI itself does not. */
export function messageOf(answer: Answer, body: JsonObject, showsReasoning: boolean): ChatMessage {
  const { text, thinking } = answer;
  const reasoning = showsReasoning && thinking !== null ? { reasoning_content: thinking } : {};
  const message = { role: "assistant", content: text, ...reasoning, refusal: null, annotations: [] };
  const [first] = answer.calls;
  if (first === undefined) return { message, finishReason: "stop" };
  if (!Array.isArray(body.tools)) {
    const called = { name: first.name, arguments: JSON.stringify(first.input) };
    return { message: { ...message, function_call: called }, finishReason: "function_call" };
  }
  return { message: { ...message, tool_calls: answer.calls.map(toolCallOf) }, finishReason: "tool_calls" };
}

function toolCallOf({ id, name, input, tool }: Answer["calls"][number]): JsonObject {
  if (tool?.form === "text") {
    const text = typeof input.input === "string" ? stringOf(input.input) : JSON.stringify(input);
    return { id: `call_${id}`, type: "custom", custom: { name, input: text } };
  }
  return { id: `call_${id}`, type: "function", function: { name, arguments: JSON.stringify(input) } };
}
