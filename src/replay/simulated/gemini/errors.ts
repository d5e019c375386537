import type { JsonValue } from "../../../model/json.ts";
import type { ApiCall } from "../api.ts";
import type { Refusal } from "../refusal.ts";

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** The JSON body of a refusal; where an array was asked for, the only element of one. */
export function geminiErrorBody({ status, words, code }: Refusal, { stream }: ApiCall): JsonValue {
  const name = code ?? STATUSES[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
  const body = { error: { code: status, message: words, status: name } };
  return stream === "array" ? [body] : body;
}
