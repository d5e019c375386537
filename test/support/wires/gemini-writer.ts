import { type JsonNode, object } from "../../laws/client/json-text.ts";
import { reordered, type WireWriter, type Writing } from "./hand.ts";
import { WIRE_TOOLS, type WireMessage, type WireResult } from "./talk.ts";

/** Gemini: parts of contents; ids of calls are there with some clients only, and without them results stand in the calls' order. */
export const geminiWriter: WireWriter = {
  wire: "gemini",
  bodyOf: ({ system, messages }, writing) =>
    object({
      contents: messages.map((message) => contentNode(message, writing)),
      systemInstruction: object({ role: "user", parts: [object({ text: system })] }),
      tools: [
        object({
          functionDeclarations: WIRE_TOOLS.map((name) => object({ name, parameters: object({ type: "OBJECT" }) })),
        }),
      ],
      generationConfig: object({ temperature: 1, thinkingConfig: object({ includeThoughts: true }) }),
    }),
};

function contentNode(message: WireMessage, writing: Writing): JsonNode {
  const { dice, omitsIds } = writing;
  const content = (role: string, parts: readonly JsonNode[]) => reordered(object({ role, parts }), dice);
  switch (message.role) {
    case "user": {
      const { text, picture } = message;
      return content("user", [...(picture === null ? [] : [imageNode(picture)]), object({ text })]);
    }
    case "assistant": {
      const { text, thought, calls } = message;
      const thoughts = thought === null ? [] : [object({ text: thought, thought: true })];
      const used = calls.map(({ id, name, input }, index) => {
        const own = { id: omitsIds ? undefined : id, name, args: reordered({ members: input }, dice) };
        // Of parallel calls the first alone is signed.
        const signature = thought !== null && index === 0 ? "c2lnbmF0dXJl" : undefined;
        return object({ functionCall: reordered(object(own), dice), thoughtSignature: signature });
      });
      return content("model", [...thoughts, ...(text === null ? [] : [object({ text })]), ...used]);
    }
    case "results": {
      const results = message.results.map((one) => resultNode(one, writing));
      return content(dice.pick(["user", "user", "function"]), omitsIds ? results : dice.shuffled(results));
    }
  }
}

function resultNode({ callId, name, text, picture, isError }: WireResult, { dice, omitsIds }: Writing): JsonNode {
  const own = {
    id: omitsIds ? undefined : callId,
    name,
    response: object(isError ? { error: text } : { output: text }),
    parts: picture === null ? undefined : [imageNode(picture)],
  };
  return object({ functionResponse: reordered(object(own), dice) });
}

function imageNode(bytes: Buffer): JsonNode {
  return object({ inlineData: object({ mimeType: "image/png", data: bytes.toString("base64") }) });
}
