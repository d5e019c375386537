import { jsonOf, parsedJson } from "../agent-routes/configuration-file.ts";
import { UnreadableFile } from "../agent-routes/route.ts";

/** A JSON object, by member. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object in a JSON file that may have comments and trailing commas; empty where there is none to read. */
export function readObject(file: string): JsonObject {
  return objectOf(orNothing(() => jsonOf(file)));
}

/** The object in a JSON text that may have comments and trailing commas; empty where it is none. */
export function parseObject(text: string): JsonObject {
  return objectOf(orNothing(() => parsedJson(text, "text")));
}

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** What is read; null where the agent's file cannot be: the agent itself says so. */
export function orNothing<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableFile) return null;
    throw error;
  }
}
