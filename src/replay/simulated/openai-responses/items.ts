import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import { missing, refused, tooLong, unknownValue, wrongType } from "../openai/errors.ts";
import type { Refusal } from "../refusal.ts";
import { CALL_KINDS, ITEM_TYPES, idPrefixOf, typeOfItem } from "./item.ts";

/** Longest id of a call or an item, in characters. */
const ID_MAX = 64;
const ROLES = ["assistant", "system", "developer", "user"];
const OF_MODEL = ["output_text", "refusal"];
const OF_CLIENT = ["input_text", "input_image", "input_file"];
const OUTPUTS: ReadonlySet<string> = new Set(CALL_KINDS.map(({ output }) => output));

/** What is wrong with one item by itself; null when nothing is. */
export function refuseItem(item: JsonObject, index: number): Refusal | null {
  const path = `input[${index}]`;
  const type = typeOfItem(item);
  if (type === "") return missing(`${path}.type`);
  if (!ITEM_TYPES.has(type)) return unknownValue(path, type, [...ITEM_TYPES]);
  const refusal = refuseIds(item, type, path);
  if (refusal !== null) return refusal;
  if (type === "message") return refuseMessage(item, path);
  if (type === "reasoning") return Array.isArray(item.summary) ? null : missing(`${path}.summary`);
  if (type === "function_call") return refuseTexts(item, ["call_id", "name", "arguments"], path);
  if (type === "custom_tool_call") return refuseTexts(item, ["call_id", "name", "input"], path);
  if (type === "compaction") return refuseTexts(item, ["encrypted_content"], path);
  return OUTPUTS.has(type) ? refuseOutput(item, type, path) : null;
}

function refuseIds(item: JsonObject, type: string, path: string): Refusal | null {
  const { id, call_id: callId } = item;
  if (typeof callId === "string" && callId.length > ID_MAX) return tooLong(`${path}.call_id`, callId.length, ID_MAX);
  if (typeof id !== "string") return null;
  if (id.length > ID_MAX) return tooLong(`${path}.id`, id.length, ID_MAX);
  const prefix = idPrefixOf(type);
  if (prefix === null || id.startsWith(prefix)) return null;
  const words = `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`;
  return refused(words, { param: `${path}.id`, code: "invalid_value" });
}

function refuseTexts(item: JsonObject, members: readonly string[], path: string): Refusal | null {
  for (const member of members) {
    const value = item[member];
    if (value === undefined) return missing(`${path}.${member}`);
    if (typeof value !== "string") return wrongType(`${path}.${member}`, "a string", value);
  }
  return null;
}

function refuseMessage(item: JsonObject, path: string): Refusal | null {
  const role = stringOf(item.role);
  if (!ROLES.includes(role)) return unknownValue(`${path}.role`, role, ROLES);
  return refuseParts(item.content, `${path}.content`, role === "assistant" ? OF_MODEL : OF_CLIENT);
}

function refuseOutput(item: JsonObject, type: string, path: string): Refusal | null {
  const { call_id: callId, id, output } = item;
  if (typeof callId !== "string" && !(type === "local_shell_call_output" && typeof id === "string")) {
    return missing(`${path}.call_id`);
  }
  if (type === "computer_call_output" || type === "shell_call_output" || type === "apply_patch_call_output")
    return null;
  return refuseParts(output, `${path}.output`, OF_CLIENT);
}

function refuseParts(content: JsonValue | undefined, path: string, known: readonly string[]): Refusal | null {
  if (content === undefined) return missing(path);
  if (typeof content === "string") return null;
  if (!Array.isArray(content) || !content.every(isObject)) {
    return wrongType(path, "one of a string or array of objects", content);
  }
  for (const [index, part] of objectsOf(content).entries()) {
    const type = stringOf(part.type);
    if (!known.includes(type)) return unknownValue(`${path}[${index}]`, type, known);
    const isText = type === "input_text" || type === "output_text";
    if (isText && typeof part.text !== "string") return missing(`${path}[${index}].text`);
  }
  return null;
}
