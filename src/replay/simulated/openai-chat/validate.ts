import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { isDeeperThan, isObject, objectsOf } from "../json.ts";
import { emptyArray, missing, refused, wrongType } from "../openai/errors.ts";
import type { Refusal } from "../refusal.ts";
import { NESTING_MAX } from "../validate.ts";
import { refuseChatMessage } from "./messages.ts";
import { refuseChatPairing } from "./pairing.ts";

/** Tools of one request. */
const TOOLS_MAX = 128;
const NAME = /^[a-zA-Z0-9_-]+$/;

export type ChatBody =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly refusal: Refusal };

/** A parsed body as an object of bearable depth. */
export function toChatBody(value: JsonValue): ChatBody {
  if (isDeeperThan(value, NESTING_MAX)) return { ok: false, refusal: refused("The body is nested too deeply.") };
  if (isObject(value)) return { ok: true, body: value };
  return { ok: false, refusal: refused("We could not parse the JSON body of your request.") };
}

/** What is wrong with a request; the first thing found, in the provider's words where they are known. */
export function refuseChat(body: JsonObject): Refusal | null {
  const { model, messages } = body;
  if (typeof model !== "string" || model === "") return refused("you must provide a model parameter");
  if (messages === undefined) return missing("messages");
  if (!Array.isArray(messages)) return wrongType("messages", "an array of objects", messages);
  if (messages.length === 0) return emptyArray("messages");
  for (const [index, message] of messages.entries()) {
    const refusal = isObject(message)
      ? refuseChatMessage(message, index)
      : wrongType(`messages[${index}]`, "an object", message);
    if (refusal !== null) return refusal;
  }
  return refuseTools(body) ?? refuseStream(body) ?? refuseChatPairing(objectsOf(messages));
}

function refuseTools({ tools, tool_choice: choice, functions }: JsonObject): Refusal | null {
  if (tools === undefined) {
    const isPointless = choice !== undefined && choice !== null && functions === undefined;
    const words = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.";
    return isPointless ? refused(words, { param: "tool_choice" }) : null;
  }
  if (!Array.isArray(tools)) return wrongType("tools", "an array of objects", tools);
  if (tools.length === 0) return emptyArray("tools");
  if (tools.length > TOOLS_MAX) {
    const words = `Invalid 'tools': array too long. Expected an array with maximum length ${TOOLS_MAX}, but got an array with length ${tools.length} instead.`;
    return refused(words, { param: "tools", code: "array_above_max_length" });
  }
  for (const [index, tool] of tools.entries()) {
    const refusal = refuseTool(tool, index);
    if (refusal !== null) return refusal;
  }
  return null;
}

function refuseTool(tool: JsonValue, index: number): Refusal | null {
  if (!isObject(tool)) return wrongType(`tools[${index}]`, "an object", tool);
  const kind = tool.type === "custom" ? "custom" : "function";
  const path = `tools[${index}].${kind}`;
  const described = tool[kind];
  if (!isObject(described)) return missing(path);
  const { name } = described;
  if (typeof name !== "string") return missing(`${path}.name`);
  if (NAME.test(name)) return null;
  const words = `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`;
  return refused(words, { param: `${path}.name`, code: "invalid_value" });
}

function refuseStream({ stream, stream_options: options }: JsonObject): Refusal | null {
  if (stream === true || options === undefined || options === null) return null;
  const words = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
  return refused(words, { param: "stream_options" });
}
