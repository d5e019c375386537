import type { RecordedWire } from "../recording.ts";
import { isChatMessage } from "./chat-message.ts";
import { isGeminiContent } from "./gemini-content.ts";
import { readResponsesItem } from "./responses-item.ts";
import { isRecord, type JsonRecord } from "./values.ts";

/**
 * The API format of a request's body by its content; null for none of them. Only where a body could be two formats does the path it
 * was sent to decide.
 */
export function formatOfBody(value: unknown, path: string | null = null): RecordedWire | null {
  if (!isRecord(value)) return null;
  if (Array.isArray(value.contents)) return isListOf(value.contents, isGeminiContent) ? "gemini" : null;
  if (Array.isArray(value.messages)) return formatOfMessages(value, value.messages, path);
  return isResponsesBody(value) ? "openai-responses" : null;
}

/** Members of a Chat Completions body that Anthropic Messages does not know. */
const CHAT_MEMBERS = [
  "max_completion_tokens",
  "stream_options",
  "response_format",
  "frequency_penalty",
  "reasoning_effort",
  "n",
];

/** A message of Anthropic's API carries nothing but a role and content, and none of them is a tool's. */
function formatOfMessages(value: JsonRecord, messages: readonly unknown[], path: string | null): RecordedWire | null {
  const isMessages =
    isListOf(messages, isAnthropicMessage) && !(isRecord(messages[0]) && messages[0].role === "system");
  const isChat = isListOf(messages, isChatMessage);
  if (!isMessages || !isChat) return isMessages ? "anthropic-messages" : isChat ? "openai-chat" : null;
  if (path !== null && /\/chat\/completions(\?|$)/.test(path)) return "openai-chat";
  if (path !== null && /\/messages(\?|\/|$)/.test(path)) return "anthropic-messages";
  const [tool] = Array.isArray(value.tools) ? value.tools : [];
  const statesChat = CHAT_MEMBERS.some((name) => name in value) || (isRecord(tool) && isRecord(tool.function));
  return statesChat ? "openai-chat" : "anthropic-messages";
}

function isAnthropicMessage(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).some((name) => name !== "role" && name !== "content")) return false;
  if (value.role !== "user" && value.role !== "assistant" && value.role !== "system") return false;
  if (typeof value.content === "string") return true;
  return Array.isArray(value.content) && value.content.every((block) => isRecord(block) && block.type !== "image_url");
}

/** A text or texts to embed stand in a member of the same name, so a plain text counts only beside members of this API. */
function isResponsesBody(value: JsonRecord): boolean {
  const { input } = value;
  if (Array.isArray(input)) return isListOf(input, (item) => readResponsesItem(item, 0) !== null);
  return (
    typeof input === "string" &&
    ["instructions", "max_output_tokens", "reasoning", "store", "tools"].some((name) => name in value)
  );
}

function isListOf(values: readonly unknown[], is: (value: unknown) => boolean): boolean {
  return values.length > 0 && values.every(is);
}
