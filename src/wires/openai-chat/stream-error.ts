import { scanJson, toJsonBytes } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import { eventBytes } from "../shared/stream-write.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { membersAt } from "./object.ts";

const TYPE_DEFAULT = "server_error";
const WORDS_DEFAULT = "the provider's answer could not be read";

/** An error body as an event of a stream; well-formed whatever the body is. */
export function errorEvent(body: Uint8Array): Uint8Array {
  return eventBytes("message", errorJson(body));
}

/** An error body as this API writes it; well-formed whatever the body is. */
export function errorJson(body: Uint8Array): string {
  const text = toJsonBytes(body);
  const scan = scanJson(text);
  const top = scan.ok && kindOf(text, scan.value) === "object" ? membersOf(text, scan.value.start).spans : new Map();
  const inner = membersAt(text, top.get("error"));
  const type = stringAt(text, inner.get("type")) ?? TYPE_DEFAULT;
  const message = stringAt(text, inner.get("message")) ?? WORDS_DEFAULT;
  return JSON.stringify({ error: { message, type, param: null, code: stringAt(text, inner.get("code")) } });
}
