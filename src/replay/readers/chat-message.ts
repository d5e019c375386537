import type { Role } from "../../model/item.ts";
import type { RecordedBlock, RecordedMessage, RecordedProblem } from "../recording.ts";
import { toJsonBlock } from "./json-block.ts";
import { isRecord, type JsonRecord, kindOf, textOrNull } from "./values.ts";

/** Roles of the Chat Completions API, and whose side each is on. */
const ROLES: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "user",
  function: "user",
};

const MEDIA_TYPES = new Set(["image_url", "input_audio", "file"]);

export interface ReadMessage {
  readonly message: RecordedMessage | null;
  readonly problems: readonly RecordedProblem[];
}

/** True for a message of the Chat Completions API by its role. */
export function isChatMessage(value: unknown): value is JsonRecord {
  return isRecord(value) && typeof value.role === "string" && value.role in ROLES;
}

/** A chat message as blocks: its texts and media, its calls, or the one result that it is. */
export function readChatMessage(value: unknown, line: number): ReadMessage {
  const role = isRecord(value) && typeof value.role === "string" ? ROLES[value.role] : undefined;
  if (!isRecord(value) || role === undefined) {
    return { message: null, problems: [{ line, words: `not a chat message: ${kindOf(value)} without a known role` }] };
  }
  if (value.role === "tool" || value.role === "function") {
    const callId = textOrNull(value.tool_call_id);
    const block = toJsonBlock("user", callId === null ? "text" : "result", withoutMarks(value), line, { callId });
    return { message: { role: "user", blocks: [block] }, problems: [] };
  }
  const blocks: RecordedBlock[] = [];
  const thought = textOrNull(value.reasoning_content) ?? textOrNull(value.reasoning);
  if (thought !== null) blocks.push(toJsonBlock(role, "thinking", { type: "text", text: thought }, line));
  blocks.push(...contentBlocks(role, value.content, line));
  for (const call of Array.isArray(value.tool_calls) ? value.tool_calls : []) blocks.push(callBlock(role, call, line));
  return { message: { role, blocks }, problems: [] };
}

function contentBlocks(role: Role, content: unknown, line: number): readonly RecordedBlock[] {
  if (typeof content === "string")
    return content === "" ? [] : [toJsonBlock(role, "text", { type: "text", text: content }, line)];
  if (!Array.isArray(content)) return [];
  return content.filter(isRecord).flatMap((part) => {
    if (part.type === "text" && part.text === "") return [];
    const kind = part.type === "text" ? "text" : MEDIA_TYPES.has(String(part.type)) ? "media" : "other";
    return [toJsonBlock(role, kind, withoutMarks(part), line)];
  });
}

function callBlock(role: Role, call: unknown, line: number): RecordedBlock {
  const made =
    isRecord(call) && isRecord(call.function)
      ? call.function
      : isRecord(call) && isRecord(call.custom)
        ? call.custom
        : null;
  const callId = isRecord(call) ? textOrNull(call.id) : null;
  const toolName = textOrNull(made?.name);
  if (callId === null || toolName === null) return toJsonBlock(role, "other", call, line);
  return toJsonBlock(role, "call", call, line, { callId, toolName });
}

/** Without the cache marks that clients move from message to message. */
function withoutMarks(value: JsonRecord): JsonRecord {
  const { cache_control: _moved, ...rest } = value;
  const { content } = rest;
  if (!Array.isArray(content)) return rest;
  return { ...rest, content: content.map((part) => (isRecord(part) ? withoutMarks(part) : part)) };
}
