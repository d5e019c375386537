import { readFileSync } from "node:fs";

/** A JSON object, by member. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object in a JSON file that may have comments and trailing commas; empty where there is none to read. */
export function readObject(file: string): JsonObject {
  try {
    return parseObject(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/** The object in a JSON text that may have comments and trailing commas; empty where it is none. */
export function parseObject(text: string): JsonObject {
  const bare = text.replace(COMMENT, (found) => (found.startsWith('"') ? found : "")).replace(TRAILING_COMMA, keepText);
  try {
    return objectOf(JSON.parse(bare));
  } catch {
    return {};
  }
}

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The text that stands under a path of members; null where none does. */
export function textAt(object: JsonObject, ...path: readonly string[]): string | null {
  const last = path.slice(0, -1).reduce((at, name) => objectOf(at[name]), object);
  const value = last[path.at(-1) ?? ""];
  return typeof value === "string" && value !== "" ? value : null;
}

const COMMENT = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const TRAILING_COMMA = /"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g;

function keepText(found: string): string {
  return found.startsWith('"') ? found : "";
}
