import type { JsonObject, JsonValue } from "../../model/json.ts";
import { textArgument } from "../call-input.ts";

/** True for an object, which a list is not. */
export function isObjectValue(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a list. */
export function isListValue(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A member of an object by its own name; undefined where there is none, or no object. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObjectValue(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The first of the named arguments that is a non-empty text. */
export function firstText(input: JsonValue, names: readonly string[]): string | null {
  for (const name of names) {
    const value = textArgument(input, name);
    if (value !== null) return value;
  }
  return null;
}

/** The value that a text holds as JSON; undefined where it is none. */
export function jsonIn(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
