import type { JsonObject, JsonValue } from "../../model/json.ts";
import { isObject } from "./json.ts";

/** Stands for the address in a marker that is only known once the request is there: `$marker:1` for the first. */
const PLACEHOLDER = /^\$marker:([1-9]\d{0,3})$/;
const MARKER = /\[ebb ([0-9a-z]{12})\]/g;

/**
 * A call's input with each text `$marker:N` replaced by the N-th different address that markers of the conversation name, in its
 * order; a text without such a marker stays.
 */
export function withAddresses(input: JsonObject, history: JsonValue): JsonObject {
  const text = JSON.stringify(input);
  if (!text.includes("$marker:")) return input;
  const found = JSON.stringify(history).matchAll(MARKER);
  const addresses = [...new Set(Array.from(found, (match) => match[1] ?? ""))];
  return replacedIn(input, addresses);
}

function replacedIn(object: JsonObject, addresses: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, replaced(value, addresses)]));
}

function replaced(value: JsonValue, addresses: readonly string[]): JsonValue {
  if (typeof value === "string") return addresses[Number(PLACEHOLDER.exec(value)?.[1]) - 1] ?? value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, addresses));
  return isObject(value) ? replacedIn(value, addresses) : value;
}
