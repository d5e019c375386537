import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import type { Reshape } from "../../../src/testing/test-wire.ts";

/** Narrows to a JSON object. */
export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Narrows to a block or part of type `text`. */
export const isText = (value: JsonValue | undefined): value is JsonObject & { text: string } =>
  isObject(value) && value.type === "text" && typeof value.text === "string";

/** Rewrites every object of a value, innermost first. */
function rewrite(value: JsonValue, change: (object: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((element: JsonValue) => rewrite(element, change));
  if (!isObject(value)) return value;
  return change(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rewrite(member, change)])));
}

/** A client that writes every object of a body in another way, or those of one member alone. */
export function reshape(
  name: string,
  change: (object: JsonObject) => JsonObject,
  member: string | null = null,
): Reshape {
  return {
    name,
    apply: (bytes) => {
      const body: JsonObject = JSON.parse(Buffer.from(bytes).toString());
      const changed =
        member === null ? rewrite(body, change) : { ...body, [member]: rewrite(body[member] ?? [], change) };
      return Buffer.from(JSON.stringify(changed, null, 1));
    },
  };
}
