import type { JsonObject } from "../../../model/json.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import { countRuns, firstSpokenIn, lastSpokenIn, type OfferedTool, type Talk, workdirIn } from "../talk.ts";
import { memberOf, objectMember, roleOf, textsOf } from "./part.ts";

/** What a request of the Gemini API says. */
export function geminiTalk(body: JsonObject): Talk {
  const contents = objectsOf(body.contents);
  const spoken = contents.filter((content) => roleOf(content) === "user").map(textsOf);
  const system = objectMember(body, "systemInstruction");
  const config = objectMember(body, "generationConfig") ?? {};
  const schema = memberOf(config, "responseJsonSchema") ?? memberOf(config, "responseSchema");
  return {
    firstSpoken: firstSpokenIn(spoken),
    lastSpoken: lastSpokenIn(spoken),
    stepCount: countRuns(contents.map((content) => roleOf(content) === "model")),
    tools: objectsOf(body.tools)
      .flatMap((tool) => objectsOf(memberOf(tool, "functionDeclarations")))
      .map(toolOf),
    workdir: workdirIn([...(system === null ? [] : textsOf(system)), ...contents.slice(0, 3).flatMap(textsOf)]),
    history: contents,
    answerSchema: isObject(schema) ? schema : null,
  };
}

function toolOf(declared: JsonObject): OfferedTool {
  const schema = memberOf(declared, "parametersJsonSchema") ?? declared.parameters ?? null;
  return { name: stringOf(declared.name), group: null, schema, form: "arguments" };
}
