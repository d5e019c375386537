import type { JsonObject } from "../../../model/json.ts";
import type { Refusal } from "../refusal.ts";

/** What an error says beside its words. */
export interface ErrorPlace {
  readonly param?: string;
  readonly code?: string;
}

/** A request that OpenAI does not accept. */
export function refused(words: string, place: ErrorPlace = {}, status = 400): Refusal {
  return { status, type: "invalid_request_error", words, ...place };
}

/** A member that must be there and is not. */
export function missing(param: string): Refusal {
  return refused(`Missing required parameter: '${param}'.`, { param, code: "missing_required_parameter" });
}

/** A member of another type than the API takes. */
export function wrongType(param: string, expected: string, value: unknown): Refusal {
  const words = `Invalid type for '${param}': expected ${expected}, but got ${kindOf(value)} instead.`;
  return refused(words, { param, code: "invalid_type" });
}

/** A value that is none of those the API knows. */
export function unknownValue(param: string, value: string, known: readonly string[]): Refusal {
  const names = known.map((name) => `'${name}'`);
  const list = names.length < 3 ? names.join(" and ") : `${names.slice(0, -1).join(", ")}, and ${names.at(-1)}`;
  return refused(`Invalid value: '${value}'. Supported values are: ${list}.`, { param, code: "invalid_value" });
}

/** A list that is empty. */
export function emptyArray(param: string): Refusal {
  const words = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  return refused(words, { param, code: "empty_array" });
}

/** A text longer than the API takes. */
export function tooLong(param: string, length: number, lengthMax: number): Refusal {
  const words = `Invalid '${param}': string too long. Expected a string with maximum length ${lengthMax}, but got a string with length ${length} instead.`;
  return refused(words, { param, code: "string_above_max_length" });
}

/** The JSON body of a refusal. */
export function openaiErrorBody({ status, words, param, code }: Refusal): JsonObject {
  const error = { message: words, type: typeOf(status), param: param ?? null, code: code ?? codeOf(status) };
  return { error };
}

function typeOf(status: number): string {
  if (status === 429) return "requests";
  return status < 500 ? "invalid_request_error" : "server_error";
}

function codeOf(status: number): string | null {
  if (status === 429) return "rate_limit_exceeded";
  return status === 401 ? "invalid_api_key" : null;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
