import type { JsonObject } from "../../../model/json.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import { countRuns, firstSpokenIn, lastSpokenIn, type OfferedTool, type Talk, workdirIn } from "../talk.ts";
import { contentParts } from "./parts.ts";

/** What a request of Chat Completions says. */
export function chatTalk(body: JsonObject): Talk {
  const messages = objectsOf(body.messages);
  const spoken = messages.filter(({ role }) => role === "user").map(textsOf);
  return {
    firstSpoken: firstSpokenIn(spoken),
    lastSpoken: lastSpokenIn(spoken),
    stepCount: countRuns(messages.map(({ role }) => role === "assistant")),
    tools: [...objectsOf(body.tools).map(toolOf), ...objectsOf(body.functions).map(functionOf)],
    workdir: workdirIn(messages.slice(0, 4).flatMap(textsOf)),
    history: messages,
    answerSchema: schemaOf(body.response_format),
  };
}

function textsOf(message: JsonObject): readonly string[] {
  return contentParts(message.content)
    .filter(({ type }) => type === "text")
    .map(({ text }) => stringOf(text));
}

function toolOf(tool: JsonObject): OfferedTool {
  if (isObject(tool.custom)) {
    return { name: stringOf(tool.custom.name), group: null, schema: null, form: "text" };
  }
  return functionOf(isObject(tool.function) ? tool.function : {});
}

function functionOf(called: JsonObject): OfferedTool {
  return { name: stringOf(called.name), group: null, schema: called.parameters ?? null, form: "arguments" };
}

function schemaOf(format: JsonObject[string] | undefined): JsonObject | null {
  if (!isObject(format)) return null;
  if (format.type === "json_object") return { type: "object" };
  if (!isObject(format.json_schema)) return null;
  return isObject(format.json_schema.schema) ? format.json_schema.schema : null;
}
