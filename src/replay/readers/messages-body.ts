import type { Usage } from "../../model/usage.ts";
import type { RecordedMessage, RecordedProblem } from "../recording.ts";
import { readBlocks } from "./blocks.ts";
import { countOrZero, isRecord, type JsonRecord, parseJson, textOrNull } from "./values.ts";

/** One recorded Anthropic Messages request, with what is on record of its response. */
export interface RecordedBody {
  readonly bytes: Uint8Array;
  readonly line: number;
  readonly model: string | null;
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly RecordedMessage[];
  readonly problems: readonly RecordedProblem[];
  readonly messageId: string | null;
  readonly usage: Usage | null;
}

/**
 * True for the request body of the Anthropic Messages API, by its messages: this API knows no `tool` role, no
 * `tool_calls` and no leading system message, and its messages carry nothing but a role and content.
 */
export function isMessagesBody(value: unknown): value is JsonRecord {
  if (!isRecord(value) || !Array.isArray(value.messages) || value.messages.length === 0) return false;
  const messages: readonly unknown[] = value.messages;
  const first = messages[0];
  return isRecord(first) && first.role !== "system" && messages.every(isMessage);
}

function isMessage(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).some((name) => name !== "role" && name !== "content")) return false;
  if (value.role !== "user" && value.role !== "assistant" && value.role !== "system") return false;
  if (typeof value.content === "string") return true;
  return Array.isArray(value.content) && value.content.every((block) => isRecord(block) && block.type !== "image_url");
}

/**
 * Requests in one parsed value: a bare body, a record of an exchange (`request` and `response`, or `bodyRaw` text), or
 * an object whose every member is a body. `source` is the text the value was parsed from.
 */
export function bodiesIn(value: unknown, source: Uint8Array, line: number): readonly RecordedBody[] {
  if (isMessagesBody(value)) return [toBody(value, source, line, null)];
  if (!isRecord(value)) return [];
  if (isMessagesBody(value.request)) return [toBody(value.request, encode(value.request), line, responseOf(value))];
  if (typeof value.bodyRaw === "string") {
    const raw = Buffer.from(value.bodyRaw);
    const body = parseJson(raw);
    return body.ok && isMessagesBody(body.value) ? [toBody(body.value, raw, line, null)] : [];
  }
  const members = Object.values(value);
  if (members.length === 0 || !members.every(isMessagesBody)) return [];
  return members.map((member) => toBody(member, encode(member), line, null));
}

function toBody(value: JsonRecord, bytes: Uint8Array, line: number, response: JsonRecord | null): RecordedBody {
  const messages: RecordedMessage[] = [];
  const problems: RecordedProblem[] = [];
  for (const message of Array.isArray(value.messages) ? value.messages : []) {
    if (!isRecord(message)) continue;
    const role = message.role === "assistant" ? "assistant" : message.role === "system" ? "system" : "user";
    const read = readBlocks(role, message.content, line);
    messages.push({ role, blocks: read.blocks });
    problems.push(...read.problems);
  }
  return {
    bytes,
    line,
    model: textOrNull(value.model),
    system: value.system,
    tools: value.tools,
    messages,
    problems,
    messageId: textOrNull(response?.id),
    usage: usageOf(response?.usage),
  };
}

function responseOf(value: JsonRecord): JsonRecord | null {
  const response = value.response;
  if (!isRecord(response)) return null;
  return isRecord(response.body) ? response.body : response;
}

function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  return {
    inputTokens: countOrZero(value.input_tokens),
    cacheReadTokens: countOrZero(value.cache_read_input_tokens),
    cacheWriteTokens: countOrZero(value.cache_creation_input_tokens),
    outputTokens: countOrZero(value.output_tokens),
  };
}

function encode(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
