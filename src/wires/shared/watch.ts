import { scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { createSseReader, type SseEvent } from "../../lib/sse.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ResponseWatcher } from "../../model/ports.ts";
import type { ResponseFacts } from "../../model/usage.ts";

/** Largest response without streaming that is read for its facts. */
export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** Calls of one response that are noted. */
export const CALLS_MAX = 256;

/** Nothing is known of a response. */
export const NO_FACTS: ResponseFacts = {
  usage: null,
  messageId: null,
  stopReason: null,
  errorType: null,
  calls: [],
  isComplete: false,
};

/** Watches a stream of server-sent events; `learn` adds what one event tells. It never throws. */
export function watchEvents(learn: (facts: ResponseFacts, event: SseEvent) => ResponseFacts): ResponseWatcher {
  let facts = NO_FACTS;
  const reader = createSseReader((event) => {
    facts = learn(facts, event);
  });
  return { push: (chunk) => reader.push(chunk), finish: () => facts };
}

/** Watches a response that is one JSON value; over-long and invalid ones tell nothing. */
export function watchValue(factsOf: (value: JsonValue) => ResponseFacts): ResponseWatcher {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    push(chunk) {
      bytes += chunk.length;
      if (bytes > RESPONSE_BYTES_MAX) chunks = [];
      else chunks.push(Buffer.from(chunk));
    },
    finish() {
      const value = bytes > RESPONSE_BYTES_MAX ? undefined : parseValue(Buffer.concat(chunks));
      return value === undefined ? NO_FACTS : factsOf(value);
    },
  };
}

/** The JSON value that the bytes are; undefined where they are none. */
export function parseValue(bytes: Buffer): JsonValue | undefined {
  return scanJson(toJsonBytes(bytes)).ok ? (JSON.parse(bytes.toString("utf8")) as JsonValue) : undefined;
}

/** The JSON object that the bytes are; null where they are none. */
export function parseObject(bytes: Buffer): JsonObject | null {
  const value = parseValue(bytes);
  return isObject(value) ? value : null;
}

/** True for a number that counts something. Sums over any other could not be written down and read again. */
export function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Narrows to a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text, or null for anything else. */
export function textOr(value: JsonValue | undefined, otherwise: string | null): string | null {
  return typeof value === "string" ? value : otherwise;
}
