import type { JsonObject } from "../../../model/json.ts";
import type { Answer } from "../answer.ts";
import { memberOf, objectMember } from "./part.ts";
import { signPart } from "./signature.ts";

/** Length of a call's id, in characters. */
const CALL_ID_CHARS = 8;

/**
 * The parts of an answer. A model that signs puts its signature on the first call, or else on the last text. Thoughts are told
 * to a request that asks for them.
 */
export function partsOf(answer: Answer, body: JsonObject, signs: boolean): readonly JsonObject[] {
  const config = objectMember(body, "generationConfig") ?? {};
  const thinking = objectMember(config, "thinkingConfig") ?? {};
  const isTold = memberOf(thinking, "includeThoughts") === true;
  const thought = answer.thinking ?? "";
  const calls = answer.calls.map(({ id, name, input }, index): JsonObject => {
    const functionCall = { ...(signs ? { id: id.slice(0, CALL_ID_CHARS) } : {}), name, args: input };
    return { functionCall, ...(signs && index === 0 ? { thoughtSignature: signPart(name, thought) } : {}) };
  });
  const isSignedText = signs && calls.length === 0 && answer.thinking !== null;
  return [
    ...(isTold && answer.thinking !== null ? [{ text: answer.thinking, thought: true }] : []),
    ...(answer.text === null
      ? []
      : [{ text: answer.text, ...(isSignedText ? { thoughtSignature: signPart("", thought) } : {}) }]),
    ...calls,
  ];
}
