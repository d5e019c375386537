import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import { isCount, isObject } from "../shared/watch.ts";

/**
 * What a `usage` object tells, cached tokens apart from the rest; null where it states none. Servers differ in where they say how
 * much was cached: in the details (OpenAI), beside them (Moonshot), as hits and misses (DeepSeek), or in Anthropic's words (LiteLLM).
 */
export function usageOf(value: JsonValue | undefined): Usage | null {
  if (!isObject(value)) return null;
  const hits = countIn(value, "prompt_cache_hit_tokens");
  const misses = countIn(value, "prompt_cache_miss_tokens");
  const prompt = countIn(value, "prompt_tokens") ?? (hits === null || misses === null ? null : hits + misses);
  const output = countIn(value, "completion_tokens");
  if (prompt === null && output === null) return null;
  const details = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const total = prompt ?? 0;
  const read =
    countIn(details, "cached_tokens") ??
    hits ??
    countIn(value, "cached_tokens") ??
    countIn(value, "cache_read_input_tokens");
  const cacheReadTokens = Math.min(total, read ?? 0);
  const written = countIn(details, "cache_write_tokens") ?? countIn(value, "cache_creation_input_tokens");
  const cacheWriteTokens = Math.min(total - cacheReadTokens, written ?? 0);
  return {
    inputTokens: total - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: output ?? 0,
  };
}

/** Where a response or a chunk of one holds its usage: in itself, in its choice (Moonshot), or in a member of the server's own (Groq). */
export function usageIn(told: JsonObject): Usage | null {
  const choices = Array.isArray(told.choices) ? told.choices : [];
  const first: JsonValue | undefined = choices[0];
  const inChoice = isObject(first) ? usageOf(first.usage) : null;
  const inGroq = isObject(told.x_groq) ? usageOf(told.x_groq.usage) : null;
  return usageOf(told.usage) ?? inChoice ?? inGroq;
}

function countIn(object: JsonObject, name: string): number | null {
  const value = object[name];
  return isCount(value) ? value : null;
}
