import type { JsonObject, JsonValue } from "../../model/json.ts";

/** True for a JSON object, not an array and not null. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of an array; anything else counts as none. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The text of a string value, "" for anything else. */
export function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The object without one of its fields. */
export function omit(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => field !== name));
}

/** JSON text that depends on values only: keys sorted at every depth, no white space. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((element: JsonValue) => canonicalJson(element)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`).join(",")}}`;
}

/** True when arrays and objects stand inside one another deeper than `depthMax`. Safe for any depth. */
export function isDeeperThan(value: JsonValue, depthMax: number): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true;
    level = level.flatMap((parent) => (typeof parent === "object" && parent !== null ? Object.values(parent) : []));
  }
  return false;
}
