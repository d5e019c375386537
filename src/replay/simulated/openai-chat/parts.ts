import type { JsonObject, JsonValue } from "../../../model/json.ts";
import type { PromptPart } from "../automatic-cache.ts";
import { isObject, objectsOf, omit, stringOf } from "../json.ts";
import { hasBreakpoint } from "../openai/serving.ts";

/** Content as parts: a string is one text part. */
export function contentParts(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return objectsOf(content);
}

/** The prompt as the cache sees it: tools, then messages part by part. */
export function chatParts(body: JsonObject): readonly PromptPart[] {
  const tools = [...objectsOf(body.tools), ...objectsOf(body.functions)];
  return [
    ...tools.map((tool) => plain(`tool ${JSON.stringify(tool)}`)),
    ...objectsOf(body.messages).flatMap(messageParts),
  ];
}

function messageParts(message: JsonObject): readonly PromptPart[] {
  const role = stringOf(message.role);
  const isInput = role !== "assistant";
  const said = contentParts(message.content).map((part) => contentPart(part, { role, isInput }));
  const { tool_calls: calls, function_call: called, tool_call_id: answered, reasoning_content: reasoning } = message;
  return [
    ...(reasoning === undefined ? [] : [plain(`reasoning ${JSON.stringify(reasoning)}`)]),
    ...(answered === undefined ? [] : [plain(`answers ${JSON.stringify(answered)}`)]),
    ...said,
    ...objectsOf(calls).map((call) => plain(`call ${JSON.stringify(call)}`)),
    ...(isObject(called) ? [plain(`call ${JSON.stringify(called)}`)] : []),
  ];
}

function contentPart(part: JsonObject, { role, isInput }: { role: string; isInput: boolean }): PromptPart {
  const isText = part.type === "text";
  const text = isText ? stringOf(part.text) : JSON.stringify(omit(part, "prompt_cache_breakpoint"));
  return { text: `${role} ${text}`, isMedia: !isText, isMarked: isInput && hasBreakpoint(part), isInput };
}

function plain(text: string): PromptPart {
  return { text, isMedia: false, isMarked: false, isInput: false };
}
