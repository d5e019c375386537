import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { isDeeperThan, isObject, objectsOf, stringOf } from "../json.ts";
import { missing, refused, unknownValue, wrongType } from "../openai/errors.ts";
import type { Refusal } from "../refusal.ts";
import { NESTING_MAX } from "../validate.ts";
import { refuseItem } from "./items.ts";

export type ResponsesBody =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly refusal: Refusal };

/** A parsed body as an object of bearable depth. */
export function toResponsesBody(value: JsonValue): ResponsesBody {
  if (isDeeperThan(value, NESTING_MAX)) return { ok: false, refusal: refused("The body is nested too deeply.") };
  if (isObject(value)) return { ok: true, body: value };
  return { ok: false, refusal: refused("We could not parse the JSON body of your request.") };
}

/** What is wrong with a request by itself; the first thing found, in the provider's words where they are known. */
export function refuseResponses(body: JsonObject): Refusal | null {
  const { model, input, instructions, tools } = body;
  if (typeof model !== "string" || model === "") return missing("model");
  if (instructions !== undefined && instructions !== null && typeof instructions !== "string") {
    return wrongType("instructions", "a string", instructions);
  }
  const refusal = refuseTools(tools);
  if (refusal !== null) return refusal;
  const items = Array.isArray(input) ? input.filter(isObject) : [];
  for (const [index, item] of items.entries()) {
    const wrong = refuseItem(item, index);
    if (wrong !== null) return wrong;
  }
  return refuseRepeated(items);
}

const TOOL_TYPES = [
  "function",
  "custom",
  "namespace",
  "local_shell",
  "shell",
  "apply_patch",
  "web_search",
  "web_search_preview",
  "file_search",
  "code_interpreter",
  "image_generation",
  "computer_use_preview",
  "computer",
  "mcp",
  "tool_search",
];

function refuseTools(tools: JsonValue | undefined): Refusal | null {
  if (tools === undefined || tools === null) return null;
  if (!Array.isArray(tools)) return wrongType("tools", "an array of objects", tools);
  for (const [index, tool] of objectsOf(tools).entries()) {
    const type = stringOf(tool.type);
    if (tool.type === undefined) return missing(`tools[${index}].type`);
    if (!TOOL_TYPES.includes(type)) return unknownValue(`tools[${index}].type`, type, TOOL_TYPES);
    const isNamed = type !== "function" && type !== "custom" ? true : typeof tool.name === "string";
    if (!isNamed) return missing(`tools[${index}].name`);
  }
  return null;
}

function refuseRepeated(items: readonly JsonObject[]): Refusal | null {
  const seen = new Set<string>();
  for (const { id, type } of items) {
    if (typeof id !== "string" || type === "item_reference") continue;
    if (seen.has(id)) {
      const words = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
      return refused(words, { param: "input" });
    }
    seen.add(id);
  }
  return null;
}
