import type { JsonObject, JsonValue } from "../../model/json.ts";
import { isObject, stringOf } from "./json.ts";

/** Levels of a schema that are followed. */
const DEPTH_MAX = 20;

/** The simplest value that a schema allows, as far as its types tell: for clients that ask for an answer in JSON. */
export function sampleOf(schema: JsonValue, depth = 0): JsonValue {
  if (!isObject(schema) || depth > DEPTH_MAX) return null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const option = Array.isArray(schema.anyOf) ? schema.anyOf[0] : undefined;
  if (option !== undefined) return sampleOf(option, depth + 1);
  switch (typeOf(schema)) {
    case "object":
      return objectOf(schema, depth);
    case "array":
      return [];
    case "number":
    case "integer":
      return typeof schema.minimum === "number" ? schema.minimum : 1;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "simulated";
  }
}

/** Gemini writes types in capitals. */
function typeOf(schema: JsonObject): string {
  const { type } = schema;
  return stringOf(Array.isArray(type) ? type[0] : type).toLowerCase();
}

function objectOf(schema: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, sampleOf(value, depth + 1)]));
}
