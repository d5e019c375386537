import { type JsonNode, object } from "../../laws/client/json-text.ts";
import { reordered, type WireWriter, type Writing } from "./hand.ts";
import { WIRE_TOOLS, type WireMessage, type WireResult } from "./talk.ts";

/** Anthropic Messages: parallel results come in any order, a text as a string or as one block. */
export const messagesWriter: WireWriter = {
  wire: "anthropic-messages",
  bodyOf: ({ system, messages }, writing) =>
    object({
      model: writing.model,
      max_tokens: 1_000,
      system: [object({ type: "text", text: system })],
      tools: WIRE_TOOLS.map((name) => object({ name, input_schema: object({ type: "object" }) })),
      messages: messages.map((message) => messageNode(message, writing)),
    }),
};

function messageNode(message: WireMessage, { dice }: Writing): JsonNode {
  switch (message.role) {
    case "user": {
      const { text, picture } = message;
      if (picture === null && dice.oneIn(2)) return object({ role: "user", content: text });
      return object({ role: "user", content: [...(picture === null ? [] : [imageNode(picture)]), textNode(text)] });
    }
    case "assistant": {
      const { text, thought, calls } = message;
      const thinking = thought === null ? [] : [object({ type: "thinking", thinking: thought, signature: "c2ln" })];
      const used = calls.map(({ id, name, input }) =>
        reordered(object({ type: "tool_use", id, name, input: reordered({ members: input }, dice) }), dice),
      );
      return object({ role: "assistant", content: [...thinking, ...(text === null ? [] : [textNode(text)]), ...used] });
    }
    case "results":
      return object({ role: "user", content: dice.shuffled(message.results.map((one) => resultNode(one, dice))) });
  }
}

function resultNode({ callId, text, picture, isError }: WireResult, dice: Writing["dice"]): JsonNode {
  const isList = picture !== null || dice.oneIn(2);
  const content = isList ? [textNode(text), ...(picture === null ? [] : [imageNode(picture)])] : text;
  return reordered(
    object({ type: "tool_result", tool_use_id: callId, content, is_error: isError ? true : undefined }),
    dice,
  );
}

function textNode(text: string): JsonNode {
  return object({ type: "text", text });
}

function imageNode(bytes: Buffer): JsonNode {
  return object({
    type: "image",
    source: object({ type: "base64", media_type: "image/png", data: bytes.toString("base64") }),
  });
}
