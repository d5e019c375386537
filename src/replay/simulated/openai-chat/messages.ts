import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import { emptyArray, missing, refused, tooLong, unknownValue, wrongType } from "../openai/errors.ts";
import type { Refusal } from "../refusal.ts";

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
  system: ["text"],
  developer: ["text"],
};
/** Longest id of a call, in characters. */
const CALL_ID_MAX = 40;

/** What is wrong with one message by itself; null when nothing is. */
export function refuseChatMessage(message: JsonObject, index: number): Refusal | null {
  const role = stringOf(message.role);
  const path = `messages[${index}]`;
  if (message.role === undefined) return missing(`${path}.role`);
  if (!ROLES.includes(role)) return unknownValue(`${path}.role`, role, ROLES);
  if (role === "tool" && typeof message.tool_call_id !== "string") {
    const words = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.";
    return refused(words, { param: `messages.[${index}].tool_call_id` });
  }
  if (role === "function" && typeof message.name !== "string") return missing(`${path}.name`);
  if (role === "assistant") return refuseCalls(message, path) ?? refuseContent(message, index);
  return refuseContent(message, index);
}

function refuseContent(message: JsonObject, index: number): Refusal | null {
  const { content } = message;
  const role = stringOf(message.role);
  const param = `messages.[${index}].content`;
  if (content === undefined || content === null) {
    const isCalling = message.tool_calls !== undefined || message.function_call !== undefined;
    if (role === "function" || (role === "assistant" && (isCalling || message.audio !== undefined))) return null;
    return refused("Invalid value for 'content': expected a string, got null.", { param });
  }
  if (typeof content === "string") return null;
  if (!Array.isArray(content)) return wrongType(`messages[${index}].content`, "one of a string or array", content);
  if (content.length === 0) return emptyArray(`messages[${index}].content`);
  for (const [partIndex, part] of content.entries()) {
    const refusal = refusePart(part, { role, index, path: `messages[${index}].content[${partIndex}]` });
    if (refusal !== null) return refusal;
  }
  return null;
}

interface PartPlace {
  readonly role: string;
  readonly index: number;
  readonly path: string;
}

function refusePart(part: JsonValue, { role, index, path }: PartPlace): Refusal | null {
  if (!isObject(part)) return wrongType(path, "an object", part);
  const type = stringOf(part.type);
  if (type === "image_url" && role !== "user") {
    const words = `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`;
    return refused(words, { param: `messages[${index}]`, code: "invalid_value" });
  }
  const known = PARTS[role] ?? ["text"];
  if (!known.includes(type)) return unknownValue(`${path}.type`, type, known);
  if (type === "text" && typeof part.text !== "string") return missing(`${path}.text`);
  if (type !== "image_url") return null;
  const url = isObject(part.image_url) ? part.image_url.url : undefined;
  return typeof url === "string" ? null : missing(`${path}.image_url.url`);
}

function refuseCalls({ tool_calls: calls, function_call: called }: JsonObject, path: string): Refusal | null {
  if (isObject(called) && typeof called.arguments !== "string") {
    return wrongType(`${path}.function_call.arguments`, "a string", called.arguments);
  }
  if (calls === undefined || calls === null) return null;
  if (!Array.isArray(calls)) return wrongType(`${path}.tool_calls`, "an array of objects", calls);
  if (calls.length === 0) return emptyArray(`${path}.tool_calls`);
  for (const [index, call] of objectsOf(calls).entries()) {
    const refusal = refuseCall(call, `${path}.tool_calls[${index}]`);
    if (refusal !== null) return refusal;
  }
  return null;
}

function refuseCall(call: JsonObject, path: string): Refusal | null {
  const { id, type } = call;
  if (typeof id !== "string") return missing(`${path}.id`);
  if (id.length > CALL_ID_MAX) return tooLong(`${path}.id`, id.length, CALL_ID_MAX);
  if (type !== "function" && type !== "custom") {
    return type === undefined
      ? missing(`${path}.type`)
      : unknownValue(`${path}.type`, String(type), ["function", "custom"]);
  }
  const called = call[type];
  if (!isObject(called)) return missing(`${path}.${type}`);
  if (typeof called.name !== "string") return missing(`${path}.${type}.name`);
  const member = type === "custom" ? "input" : "arguments";
  const argument = called[member];
  if (argument === undefined) return missing(`${path}.${type}.${member}`);
  return typeof argument === "string" ? null : wrongType(`${path}.${type}.${member}`, "a string", argument);
}
