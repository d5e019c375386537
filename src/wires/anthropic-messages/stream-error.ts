import { scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import { eventBytes } from "../shared/stream-write.ts";
import { kindOf, stringAt } from "../shared/value.ts";

/** What clients of this API ask again after. */
const TYPE_DEFAULT = "overloaded_error";
const WORDS_DEFAULT = "the provider's answer could not be read";

/** An error body as an event of a stream; well-formed whatever the body is. */
export function errorEvent(body: Uint8Array): Uint8Array {
  return eventBytes("error", errorJson(body));
}

/** An error body as this API writes it; well-formed whatever the body is. */
export function errorJson(body: Uint8Array): string {
  const text = toJsonBytes(body);
  const scan = scanJson(text);
  const spans = scan.ok && kindOf(text, scan.value) === "object" ? membersOf(text, scan.value.start).spans : null;
  const error = spans?.get("error");
  const inner = error !== undefined && kindOf(text, error) === "object" ? membersOf(text, error.start).spans : null;
  const type = stringAt(text, inner?.get("type")) ?? TYPE_DEFAULT;
  const message = stringAt(text, inner?.get("message")) ?? WORDS_DEFAULT;
  return JSON.stringify({ type: "error", error: { type, message } });
}
