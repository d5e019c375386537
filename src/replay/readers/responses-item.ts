import type { Role } from "../../model/item.ts";
import type { RecordedBlock } from "../recording.ts";
import { toJsonBlock } from "./json-block.ts";
import { isRecord, type JsonRecord, textOrNull } from "./values.ts";

const CALLS = new Set(["function_call", "custom_tool_call", "local_shell_call"]);
const OUTPUTS = new Set(["function_call_output", "custom_tool_call_output", "local_shell_call_output"]);
const ROLES: Readonly<Record<string, Role>> = {
  user: "user",
  assistant: "assistant",
  system: "system",
  developer: "system",
};

/** An item of a Responses request's `input` as one block; null for what is no item. */
export function readResponsesItem(value: unknown, line: number): RecordedBlock | null {
  if (!isRecord(value)) return null;
  const type = typeof value.type === "string" ? value.type : "message";
  if (type === "message") return messageBlock(value, line);
  if (typeof value.type !== "string") return null;
  if (CALLS.has(type)) {
    const callId = textOrNull(value.call_id) ?? textOrNull(value.id);
    const toolName = type === "local_shell_call" ? "local_shell" : textOrNull(value.name);
    if (callId === null || toolName === null) return toJsonBlock("assistant", "other", value, line);
    return toJsonBlock("assistant", "call", value, line, { callId, toolName });
  }
  if (OUTPUTS.has(type)) {
    const callId = textOrNull(value.call_id) ?? textOrNull(value.id);
    return toJsonBlock("user", callId === null ? "other" : "result", value, line, { callId });
  }
  return toJsonBlock("assistant", type === "reasoning" ? "thinking" : "other", value, line);
}

function messageBlock(value: JsonRecord, line: number): RecordedBlock | null {
  const role = typeof value.role === "string" ? ROLES[value.role] : undefined;
  if (role === undefined) return null;
  const parts: readonly unknown[] = Array.isArray(value.content) ? value.content : [];
  const isMedia = parts.length > 0 && parts.every((part) => isRecord(part) && part.type === "input_image");
  return toJsonBlock(role, isMedia ? "media" : "text", value, line);
}
