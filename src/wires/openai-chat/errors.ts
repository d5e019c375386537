import type { JsonObject, JsonValue } from "../../model/json.ts";
import { isObject, textOr } from "../shared/watch.ts";

/** A refusal in the API's own form. Clients ask again by its status; a code of overload makes some stop. */
export function errorBody(kind: "unavailable" | "invalid", words: string): Uint8Array {
  const type = kind === "unavailable" ? "server_error" : "invalid_request_error";
  return Buffer.from(JSON.stringify({ error: { message: words, type, param: null, code: null } }));
}

/**
 * The error that a body or a chunk tells of; null for none. Servers differ: an object with a type or a code (OpenAI, OpenRouter),
 * words alone (Ollama), the error itself with `object:"error"` (vLLM), or a list of one (Google).
 */
export function errorTypeIn(told: JsonValue | undefined): string | null {
  const body = Array.isArray(told) ? told[0] : told;
  if (!isObject(body)) return null;
  const { error } = body;
  if (isObject(error)) return typeOf(error);
  if (typeof error === "string" && error !== "") return "unknown";
  return body.object === "error" ? typeOf(body) : null;
}

/** A code in words says more than the type; a number less than either. */
function typeOf({ code, type, status }: JsonObject): string {
  const number = typeof code === "number" ? String(code) : null;
  return textOr(code, null) ?? textOr(type, null) ?? textOr(status, null) ?? number ?? "unknown";
}
