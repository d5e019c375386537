import type { JsonObject } from "../../model/json.ts";

/** An answer that is an error, in the provider's own terms. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly words: string;
  /** Member of the request it is about, in the terms of OpenAI; left out: none. */
  readonly param?: string;
  /** OpenAI's code of the error; left out: none. */
  readonly code?: string;
}

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

/** A refusal with the error type that belongs to its status. */
export function refusal(status: number, words: string): Refusal {
  return { status, type: TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), words };
}

/** A request the provider does not accept: status 400. */
export function invalid(words: string): Refusal {
  return refusal(400, words);
}

/** The JSON body of a refusal. */
export function errorBody(refused: Refusal): JsonObject {
  return { type: "error", error: { type: refused.type, message: refused.words } };
}
