import type { JsonObject } from "../../../model/json.ts";
import type { PromptPart } from "../automatic-cache.ts";
import { objectsOf, omit, stringOf } from "../json.ts";
import { memberOf, objectMember, roleOf } from "./part.ts";

/** The prompt as the cache sees it: tools, system instruction, then contents part by part. */
export function geminiParts(body: JsonObject): readonly PromptPart[] {
  const system = objectMember(body, "systemInstruction");
  return [
    ...objectsOf(body.tools).map((tool) => part(`tool ${JSON.stringify(tool)}`)),
    ...(system === null ? [] : objectsOf(system.parts).map((one) => part(`system ${stringOf(one.text)}`))),
    ...objectsOf(body.contents).flatMap((content) => {
      return objectsOf(content.parts).map((one) => contentPart(one, roleOf(content)));
    }),
  ];
}

/** A part that is nothing but a text is that text; signatures count like all the rest. */
function contentPart(one: JsonObject, role: string): PromptPart {
  const isMedia = memberOf(one, "inlineData") !== undefined || memberOf(one, "fileData") !== undefined;
  const isPlain = typeof one.text === "string" && Object.keys(omit(one, "text")).length === 0;
  return { ...part(`${role} ${isPlain ? stringOf(one.text) : JSON.stringify(one)}`), isMedia };
}

function part(text: string): PromptPart {
  return { text, isMedia: false, isMarked: false, isInput: false };
}
