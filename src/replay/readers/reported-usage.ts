import type { Usage } from "../../model/usage.ts";
import type { RecordedWire } from "../recording.ts";
import { countOrZero, isRecord, type JsonRecord } from "./values.ts";

/** What a response reports it used, in its own API's terms; null where it reports nothing. */
export function usageIn(wire: RecordedWire, value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  switch (wire) {
    case "anthropic-messages":
      return {
        inputTokens: countOrZero(value.input_tokens),
        cacheReadTokens: countOrZero(value.cache_read_input_tokens),
        cacheWriteTokens: countOrZero(value.cache_creation_input_tokens),
        outputTokens: countOrZero(value.output_tokens),
      };
    case "openai-chat":
      return chatUsage(value);
    case "openai-responses": {
      const details = isRecord(value.input_tokens_details) ? value.input_tokens_details : {};
      const read = countOrZero(details.cached_tokens);
      const written = countOrZero(details.cache_write_tokens);
      return {
        inputTokens: Math.max(0, countOrZero(value.input_tokens) - read - written),
        cacheReadTokens: read,
        cacheWriteTokens: written,
        outputTokens: countOrZero(value.output_tokens),
      };
    }
    case "gemini": {
      const read = countOrZero(value.cachedContentTokenCount);
      return {
        inputTokens: Math.max(0, countOrZero(value.promptTokenCount) - read),
        cacheReadTokens: read,
        cacheWriteTokens: 0,
        outputTokens: countOrZero(value.candidatesTokenCount) + countOrZero(value.thoughtsTokenCount),
      };
    }
  }
}

/** Gateways report what Anthropic and DeepSeek cached under those providers' own names. */
function chatUsage(value: JsonRecord): Usage {
  const details = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const read =
    countOrZero(details.cached_tokens) ||
    countOrZero(value.cache_read_input_tokens) ||
    countOrZero(value.prompt_cache_hit_tokens);
  const written = countOrZero(details.cache_write_tokens) || countOrZero(value.cache_creation_input_tokens);
  return {
    inputTokens: Math.max(0, countOrZero(value.prompt_tokens) - read - written),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: countOrZero(value.completion_tokens),
  };
}
