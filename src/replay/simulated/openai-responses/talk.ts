import type { JsonObject } from "../../../model/json.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import { countRuns, firstSpokenIn, lastSpokenIn, type OfferedTool, type Talk, workdirIn } from "../talk.ts";
import { isModelOutput, typeOfItem } from "./item.ts";
import { itemContent } from "./parts.ts";

/** What a request of the Responses API says, with all the items the model sees. */
export function responsesTalk(body: JsonObject, items: readonly JsonObject[]): Talk {
  const spoken = items.filter((item) => typeOfItem(item) === "message" && item.role === "user").map(textsOf);
  return {
    firstSpoken: firstSpokenIn(spoken),
    lastSpoken: lastSpokenIn(spoken),
    stepCount: countRuns(items.map((item) => isModelOutput(item) || typeOfItem(item) === "reasoning")),
    tools: objectsOf(body.tools).flatMap((tool) => toolsOf(tool, null)),
    workdir: workdirIn([stringOf(body.instructions), ...items.slice(0, 6).flatMap(textsOf)]),
    history: items,
    answerSchema: schemaOf(body.text),
  };
}

function textsOf(item: JsonObject): readonly string[] {
  return typeOfItem(item) === "message" ? itemContent(item.content).map(({ text }) => stringOf(text)) : [];
}

/** A group's tools, or the tool; those that the server runs by itself are none. */
function toolsOf(tool: JsonObject, group: string | null): readonly OfferedTool[] {
  switch (tool.type) {
    case "namespace":
      return objectsOf(tool.tools).flatMap((one) => toolsOf(one, stringOf(tool.name)));
    case "function":
      return [{ name: stringOf(tool.name), group, schema: tool.parameters ?? null, form: "arguments" }];
    case "custom":
      return [{ name: stringOf(tool.name), group, schema: null, form: "text" }];
    case "local_shell":
      return [{ name: "local_shell", group, schema: null, form: "shell" }];
    default:
      return [];
  }
}

function schemaOf(text: JsonObject[string] | undefined): JsonObject | null {
  const format = isObject(text) && isObject(text.format) ? text.format : {};
  if (format.type === "json_object") return { type: "object" };
  return format.type === "json_schema" && isObject(format.schema) ? format.schema : null;
}
