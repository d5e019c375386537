import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";

/** A member by its name in either spelling of the API: `functionCall` or `function_call`. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** An object member by its name in either spelling; null where there is none. */
export function objectMember(object: JsonObject, name: string): JsonObject | null {
  const value = memberOf(object, name);
  return isObject(value) ? value : null;
}

/** A call that the model made. */
export function callOf(part: JsonObject): JsonObject | null {
  return objectMember(part, "functionCall");
}

/** What the client answers to a call. */
export function answerOf(part: JsonObject): JsonObject | null {
  return objectMember(part, "functionResponse");
}

/** Whose a content is: one without a role, or of the old role `function`, is the user's. */
export function roleOf(content: JsonObject): "user" | "model" {
  return content.role === "model" ? "model" : "user";
}

/** Neighbouring contents of one role. */
export interface Turn {
  readonly role: "user" | "model";
  /** Index of its first content, from 0. */
  readonly index: number;
  readonly parts: readonly JsonObject[];
}

/** The conversation by turns. */
export function turnsOf(contents: readonly JsonObject[]): readonly Turn[] {
  const turns: { role: Turn["role"]; index: number; parts: JsonObject[] }[] = [];
  for (const [index, content] of contents.entries()) {
    const role = roleOf(content);
    const parts = objectsOf(content.parts);
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, index, parts: [...parts] });
  }
  return turns;
}

/** Texts of a content, thoughts apart. */
export function textsOf(content: JsonObject): readonly string[] {
  return objectsOf(content.parts)
    .filter((part) => typeof part.text === "string" && part.thought !== true)
    .map(({ text }) => stringOf(text));
}
