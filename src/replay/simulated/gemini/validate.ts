import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { isDeeperThan, isObject, objectsOf, stringOf } from "../json.ts";
import { invalid, type Refusal, refusal } from "../refusal.ts";
import { NESTING_MAX } from "../validate.ts";
import { answerOf, callOf, memberOf } from "./part.ts";

export type GeminiBody =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly refusal: Refusal };

const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];
const BESIDE = ["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"];
const KNOWN: ReadonlySet<string> = new Set([...DATA, ...BESIDE].flatMap((name) => [name, snake(name)]));
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

/** A parsed body as an object of bearable depth. `countTokens` may wrap the request it is about. */
export function toGeminiBody(value: JsonValue): GeminiBody {
  if (isDeeperThan(value, NESTING_MAX)) return { ok: false, refusal: invalid("The body is nested too deeply.") };
  if (!isObject(value)) return { ok: false, refusal: invalid("Invalid JSON payload received. Expected an object.") };
  const wrapped = memberOf(value, "generateContentRequest");
  return { ok: true, body: isObject(wrapped) ? wrapped : value };
}

/** What is wrong with a request by itself; the first thing found, in the provider's words where they are known. */
export function refuseGemini(body: JsonObject): Refusal | null {
  const { contents } = body;
  if (!Array.isArray(contents) || contents.length === 0) {
    return invalid("* GenerateContentRequest.contents: contents is not specified\n");
  }
  for (const [index, content] of contents.entries()) {
    const wrong = isObject(content) ? refuseContent(content, index) : unknown("contents", String(index));
    if (wrong !== null) return wrong;
  }
  if (memberOf(body, "cachedContent") !== undefined) {
    return { ...refusal(403, "CachedContent not found (or permission denied)"), code: "PERMISSION_DENIED" };
  }
  return refuseTools(body.tools);
}

function refuseContent(content: JsonObject, index: number): Refusal | null {
  const path = `contents[${index}]`;
  const { role, parts } = content;
  if (role !== undefined && role !== "user" && role !== "model" && role !== "function") {
    return invalid("Please use a valid role: user, model.");
  }
  const extra = Object.keys(content).find((name) => name !== "role" && name !== "parts");
  if (extra !== undefined) return unknown(path, extra);
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isObject)) {
    return invalid(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`);
  }
  for (const [partIndex, part] of objectsOf(parts).entries()) {
    const wrong = refusePart(part, `${path}.parts[${partIndex}]`);
    if (wrong !== null) return wrong;
  }
  return null;
}

function refusePart(part: JsonObject, path: string): Refusal | null {
  const extra = Object.keys(part).find((name) => !KNOWN.has(name));
  if (extra !== undefined) return unknown(path, extra);
  const held = DATA.filter((name) => memberOf(part, name) !== undefined);
  if (held.length > 1) {
    return invalid(`Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${held[1]}'`);
  }
  if (held.length === 0 && memberOf(part, "thoughtSignature") === undefined) {
    return invalid(
      `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field\n`,
    );
  }
  if (part.text !== undefined && typeof part.text !== "string") {
    return invalid(`Invalid value at '${path}.text' (TYPE_STRING), ${JSON.stringify(part.text)}`);
  }
  return (
    refuseStruct(callOf(part), "args", `${path}.function_call`) ??
    refuseStruct(answerOf(part), "response", `${path}.function_response`)
  );
}

function refuseStruct(held: JsonObject | null, member: string, path: string): Refusal | null {
  if (held === null) return null;
  if (!NAME.test(stringOf(held.name))) {
    return invalid(`* GenerateContentRequest.${path}.name: Name cannot be empty.\n`);
  }
  const value = held[member];
  if (isObject(value) || (value === undefined && member === "args")) return null;
  return invalid(
    `Invalid value at '${path}.${member}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(value ?? null)}`,
  );
}

function refuseTools(tools: JsonValue | undefined): Refusal | null {
  const declared = objectsOf(tools).flatMap((tool) => objectsOf(memberOf(tool, "functionDeclarations")));
  const names = declared.map(({ name }) => stringOf(name));
  const wrong = names.findIndex((name) => !NAME.test(name));
  if (wrong >= 0) {
    return invalid(
      `* GenerateContentRequest.tools[0].function_declarations[${wrong}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n`,
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : invalid(`Duplicate function declaration found: ${twice}`);
}

function unknown(path: string, name: string): Refusal {
  return invalid(`Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
