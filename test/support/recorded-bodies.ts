import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { SampleBody } from "../../src/testing/test-wire.ts";

/** Bodies of the Messages API that real clients sent, out of the folder of recorded sessions. */
export function recordedBodies(folder: string): readonly SampleBody[] {
  const wire = recordedRequests(folder, (path) => path.startsWith("/v1/messages"));
  const sessions = join(folder, "sessions/anthropic-messages");
  const others = readdirSync(sessions).flatMap((name) => requestsIn(name, readFileSync(join(sessions, name), "utf8")));
  return [...wire, ...others];
}

/** Bodies that real clients sent to paths that `isOurs` takes, in the order of their files' names. */
export function recordedRequests(folder: string, isOurs: (path: string) => boolean): readonly SampleBody[] {
  return readdirSync(join(folder, "wire"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => {
      const { url, bodyRaw } = JSON.parse(readFileSync(join(folder, "wire", name), "utf8"));
      const isTaken = typeof url === "string" && typeof bodyRaw === "string" && isOurs(url);
      return isTaken ? [{ name, bytes: Buffer.from(bodyRaw) }] : [];
    });
}

/** A file of one request, of named requests, or of lines with a `request` each. */
function requestsIn(name: string, text: string): readonly SampleBody[] {
  const values: JsonValue[] = name.endsWith(".jsonl")
    ? text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : [JSON.parse(text)];
  return values
    .flatMap((value) => (isObject(value) ? [value, ...Object.values(value)] : []))
    .filter((value) => isObject(value) && Array.isArray(value.messages))
    .map((value, index) => ({ name: `${name} ${index}`, bytes: Buffer.from(JSON.stringify(value, null, 2)) }));
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
