import { isRecord } from "./values.ts";

/** A block of pi's messages as Anthropic's API has it; anything else as it is. */
export function toAnthropicBlock(value: unknown): unknown {
  if (!isRecord(value)) return value;
  switch (value.type) {
    case "text":
      return { type: "text", text: value.text };
    case "thinking":
      if (value.redacted === true) return { type: "redacted_thinking", data: value.thinkingSignature };
      return { type: "thinking", thinking: value.thinking, signature: value.thinkingSignature ?? "" };
    case "toolCall":
      return { type: "tool_use", id: value.id, name: value.name, input: value.arguments ?? {} };
    case "image":
      return { type: "image", source: { type: "base64", media_type: value.mimeType, data: value.data } };
  }
  return value;
}
