import type { JsonValue } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import { isCount, isObject } from "../shared/watch.ts";

/** Tokens of a response; what came out of the cache and what was written into it are part of the reported input. Null without counts. */
export function usageOf(reported: JsonValue | undefined): Usage | null {
  if (!isObject(reported)) return null;
  const { input_tokens: input, output_tokens: output } = reported;
  if (!isCount(input) && !isCount(output)) return null;
  const details = isObject(reported.input_tokens_details) ? reported.input_tokens_details : {};
  const all = countOr0(input);
  const cacheReadTokens = Math.min(countOr0(details.cached_tokens), all);
  const cacheWriteTokens = Math.min(countOr0(details.cache_write_tokens), all - cacheReadTokens);
  const inputTokens = all - cacheReadTokens - cacheWriteTokens;
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: countOr0(output) };
}

function countOr0(value: JsonValue | undefined): number {
  return isCount(value) ? value : 0;
}
