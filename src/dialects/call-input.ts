import type { JsonObject, JsonValue } from "../model/json.ts";

/** A non-empty text argument; null when the call has none of that name. */
export function textArgument(input: JsonValue, name: string): string | null {
  const value = argument(input, name);
  return typeof value === "string" && value !== "" ? value : null;
}

/** A text argument, also an empty one; null when the call has none of that name. */
export function wholeText(input: JsonValue, name: string): string | null {
  const value = argument(input, name);
  return typeof value === "string" ? value : null;
}

/** A list; empty when the call has none of that name. */
export function listArgument(input: JsonValue, name: string): readonly JsonValue[] {
  const value = argument(input, name);
  return isList(value) ? value : [];
}

/** A whole number, also where a model wrote it as text (`"10"`) or with a fraction of zero; null when there is none. */
export function wholeArgument(input: JsonValue, name: string): number | null {
  const value = argument(input, name);
  const number = typeof value === "string" && /^\s*-?\d+(\.0*)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}

/** True only for a given `true`, also where a model wrote it as text. */
export function isSet(input: JsonValue, name: string): boolean {
  const value = argument(input, name);
  return value === true || value === "true";
}

function argument(input: JsonValue, name: string): JsonValue | undefined {
  return isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
