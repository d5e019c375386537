import type { JsonValue } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import { isCount, isObject } from "../shared/watch.ts";

const FIELDS = [
  ["input_tokens", "inputTokens"],
  ["cache_read_input_tokens", "cacheReadTokens"],
  ["cache_creation_input_tokens", "cacheWriteTokens"],
  ["output_tokens", "outputTokens"],
] as const;

/** The usage known so far with the fields that `reported` states in their place; unchanged where it states none. */
export function mergeUsage(known: Usage | null, reported: JsonValue | undefined): Usage | null {
  if (!isObject(reported)) return known;
  let merged = known;
  for (const [field, name] of FIELDS) {
    const count = reported[field];
    if (!isCount(count)) continue;
    merged = {
      ...(merged ?? { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }),
      [name]: count,
    };
  }
  return merged;
}
