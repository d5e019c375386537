import { type JsonNode, object } from "../../laws/client/json-text.ts";
import { argumentsJson, pictureUrl, reordered, type WireWriter, type Writing } from "./hand.ts";
import { WIRE_TOOLS, type WireMessage } from "./talk.ts";

/** OpenAI Chat Completions: a message for each result, a text as a string or as parts, no content as null, empty or absent. */
export const chatWriter: WireWriter = {
  wire: "openai-chat",
  bodyOf: ({ system, messages }, writing) =>
    object({
      model: writing.model,
      messages: [
        object({ role: "system", content: system }),
        ...messages.flatMap((message) => messageNodes(message, writing)),
      ],
      tools: WIRE_TOOLS.map((name) =>
        object({ type: "function", function: object({ name, parameters: object({ type: "object" }) }) }),
      ),
      stream: true,
      stream_options: object({ include_usage: true }),
    }),
};

function messageNodes(message: WireMessage, { dice }: Writing): readonly JsonNode[] {
  switch (message.role) {
    case "user": {
      const { text, picture } = message;
      if (picture === null && dice.oneIn(2)) return [object({ role: "user", content: text })];
      const pictures = picture === null ? [] : [imageNode(picture)];
      return [object({ role: "user", content: [...pictures, textNode(text)] })];
    }
    case "assistant": {
      const { text, thought, calls } = message;
      const content = text ?? dice.pick([null, undefined, ""]);
      const used = calls.map(({ id, name, input }) =>
        reordered(
          object({
            id,
            type: "function",
            function: reordered(object({ name, arguments: argumentsJson(input) }), dice),
          }),
          dice,
        ),
      );
      const node = object({
        role: "assistant",
        content: text !== null && dice.oneIn(3) ? [textNode(text)] : content,
        reasoning_content: thought ?? undefined,
        tool_calls: used.length === 0 ? undefined : used,
      });
      return [reordered(node, dice)];
    }
    case "results":
      return dice.shuffled(
        message.results.map(({ callId, text, picture }) => {
          const isList = picture !== null || dice.oneIn(3);
          const list = [textNode(text), ...(picture === null ? [] : [imageNode(picture)])];
          return reordered(object({ role: "tool", tool_call_id: callId, content: isList ? list : text }), dice);
        }),
      );
  }
}

function textNode(text: string): JsonNode {
  return object({ type: "text", text });
}

function imageNode(bytes: Buffer): JsonNode {
  return object({ type: "image_url", image_url: object({ url: pictureUrl(bytes) }) });
}
