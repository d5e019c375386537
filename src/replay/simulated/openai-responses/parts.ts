import type { JsonObject, JsonValue } from "../../../model/json.ts";
import type { PromptPart } from "../automatic-cache.ts";
import { objectsOf, omit, stringOf } from "../json.ts";
import { hasBreakpoint } from "../openai/serving.ts";
import { typeOfItem } from "./item.ts";

/** Content as parts: a string is one text part. */
export function itemContent(content: JsonValue | undefined): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : objectsOf(content);
}

/** The prompt as the cache sees it: tools, instructions, then items part by part. Ids of items are no part of it. */
export function responsesParts(body: JsonObject, items: readonly JsonObject[]): readonly PromptPart[] {
  const instructions = stringOf(body.instructions);
  return [
    ...objectsOf(body.tools).map((tool) => plain(`tool ${JSON.stringify(tool)}`)),
    ...(instructions === "" ? [] : [plain(`instructions ${instructions}`)]),
    ...items.flatMap(itemParts),
  ];
}

function itemParts(item: JsonObject): readonly PromptPart[] {
  const type = typeOfItem(item);
  if (type === "message") {
    const role = stringOf(item.role);
    return itemContent(item.content).map((part) => contentPart(part, role, role !== "assistant"));
  }
  if (type.endsWith("_output") && (typeof item.output === "string" || Array.isArray(item.output))) {
    const answered = plain(`${type} ${stringOf(item.call_id)}`);
    return [answered, ...itemContent(item.output).map((part) => contentPart(part, "output", true))];
  }
  return [plain(`${type} ${JSON.stringify(omit(omit(omit(item, "id"), "status"), "type"))}`)];
}

function contentPart(part: JsonObject, role: string, isInput: boolean): PromptPart {
  const isText = part.type === "input_text" || part.type === "output_text" || part.type === "refusal";
  const text = isText
    ? stringOf(part.text ?? part.refusal)
    : JSON.stringify(omit(omit(part, "prompt_cache_breakpoint"), "detail"));
  return { text: `${role} ${text}`, isMedia: !isText, isMarked: isInput && hasBreakpoint(part), isInput };
}

function plain(text: string): PromptPart {
  return { text, isMedia: false, isMarked: false, isInput: false };
}
