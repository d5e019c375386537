import { type JsonNode, object } from "../../laws/client/json-text.ts";
import { argumentsJson, pictureUrl, reordered, type WireWriter, type Writing } from "./hand.ts";
import { WIRE_TOOLS, type WireMessage } from "./talk.ts";

/** OpenAI Responses: items one after the other; ids, status and `type` of a message are there with some clients only. */
export const responsesWriter: WireWriter = {
  wire: "openai-responses",
  bodyOf: ({ system, messages }, writing) =>
    object({
      model: writing.model,
      instructions: system,
      input: messages.flatMap((message, index) => itemNodes(message, index, writing)),
      tools: WIRE_TOOLS.map((name) =>
        object({ type: "function", name, parameters: object({ type: "object" }), strict: false }),
      ),
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
    }),
};

function itemNodes(message: WireMessage, index: number, { dice }: Writing): readonly JsonNode[] {
  const status = () => dice.pick([undefined, "completed"]);
  const type = () => dice.pick([undefined, "message"]);
  switch (message.role) {
    case "user": {
      const { text, picture } = message;
      if (picture === null && dice.oneIn(2)) return [object({ type: type(), role: "user", content: text })];
      const pictures = picture === null ? [] : [imageNode(picture)];
      return [object({ type: type(), role: "user", content: [...pictures, object({ type: "input_text", text })] })];
    }
    case "assistant": {
      const { text, thought, calls } = message;
      const annotations = dice.pick([undefined, []]);
      const reasoning = object({
        type: "reasoning",
        id: `rs_${index}`,
        summary: [],
        encrypted_content: Buffer.from(thought ?? "").toString("base64"),
      });
      const said = object({
        type: type(),
        status: status(),
        role: "assistant",
        content: [object({ type: "output_text", text: text ?? "", annotations })],
      });
      const used = calls.map(({ id, name, input }) =>
        reordered(
          object({ type: "function_call", status: status(), call_id: id, name, arguments: argumentsJson(input) }),
          dice,
        ),
      );
      return [...(thought === null ? [] : [reasoning]), ...(text === null ? [] : [said]), ...used];
    }
    case "results":
      return dice.shuffled(
        message.results.map(({ callId, text, picture }) => {
          const isList = picture !== null || dice.oneIn(3);
          const list = [object({ type: "input_text", text }), ...(picture === null ? [] : [imageNode(picture)])];
          const output = isList ? list : text;
          return reordered(object({ type: "function_call_output", call_id: callId, output, status: status() }), dice);
        }),
      );
  }
}

function imageNode(bytes: Buffer): JsonNode {
  return object({ type: "input_image", image_url: pictureUrl(bytes) });
}
