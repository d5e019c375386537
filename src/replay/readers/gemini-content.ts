import type { Role } from "../../model/item.ts";
import type { RecordedBlock, RecordedMessage } from "../recording.ts";
import { toJsonBlock } from "./json-block.ts";
import { isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** True for a `Content` of the Gemini API. */
export function isGeminiContent(value: unknown): value is JsonRecord {
  if (!isRecord(value) || !Array.isArray(value.parts)) return false;
  return value.role === undefined || value.role === "user" || value.role === "model" || value.role === "function";
}

/** Gives calls without an id one, and finds the call that a response without an id answers. */
export interface GeminiCalls {
  callIdOf(name: string): string;
  answeredBy(name: string): string | null;
}

/** Calls are answered in their order, name by name. One of these serves one conversation. */
export function createGeminiCalls(): GeminiCalls {
  const open = new Map<string, string[]>();
  let count = 0;
  return {
    callIdOf(name) {
      count += 1;
      const id = `call ${count} of ${name}`;
      open.set(name, [...(open.get(name) ?? []), id]);
      return id;
    },
    answeredBy: (name) => open.get(name)?.shift() ?? null,
  };
}

/** A `Content` as blocks, part by part. */
export function readGeminiContent(value: JsonRecord, calls: GeminiCalls, line: number): RecordedMessage {
  const role: Role = value.role === "model" ? "assistant" : "user";
  const parts: readonly unknown[] = Array.isArray(value.parts) ? value.parts : [];
  return { role, blocks: parts.filter(isRecord).map((part) => readPart(role, part, calls, line)) };
}

function readPart(role: Role, part: JsonRecord, calls: GeminiCalls, line: number): RecordedBlock {
  if (isRecord(part.functionCall)) {
    const toolName = textOrNull(part.functionCall.name);
    if (toolName === null) return toJsonBlock(role, "other", part, line);
    const callId = textOrNull(part.functionCall.id) ?? calls.callIdOf(toolName);
    return toJsonBlock(role, "call", part, line, { callId, toolName });
  }
  if (isRecord(part.functionResponse)) {
    const { id, name } = part.functionResponse;
    const callId = textOrNull(id) ?? calls.answeredBy(String(name));
    return toJsonBlock(role, callId === null ? "other" : "result", part, line, { callId });
  }
  if (part.thought === true) return toJsonBlock(role, "thinking", part, line);
  if (typeof part.text === "string") return toJsonBlock(role, "text", part, line);
  return toJsonBlock(role, isRecord(part.inlineData) || isRecord(part.fileData) ? "media" : "other", part, line);
}
