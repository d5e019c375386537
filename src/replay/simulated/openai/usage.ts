import type { ModelFacts } from "../../../model/cache.ts";
import type { JsonObject } from "../../../model/json.ts";
import { promptTokensOf, type TokenBill } from "../price.ts";
import type { Scenario } from "../scenario.ts";

/** What the usage of one answer is made of. */
export interface UsageFacts {
  readonly bill: TokenBill;
  readonly reasoningTokens: number;
  readonly facts: ModelFacts;
  readonly figures: Scenario["cacheFigures"];
}

/** Usage of Chat Completions. */
export function chatUsage(parts: UsageFacts): JsonObject {
  const { bill, reasoningTokens, facts, figures } = parts;
  const promptTokens = promptTokensOf(bill);
  const details = cacheDetails(parts);
  const ofUnits =
    facts.cache.kind === "units" && figures === undefined
      ? {
          prompt_cache_hit_tokens: bill.cacheReadTokens,
          prompt_cache_miss_tokens: promptTokens - bill.cacheReadTokens,
        }
      : {};
  return {
    prompt_tokens: promptTokens,
    completion_tokens: bill.outputTokens,
    total_tokens: promptTokens + bill.outputTokens,
    prompt_tokens_details: details === null ? null : { ...details, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...ofUnits,
  };
}

/** Usage of the Responses API. */
export function responsesUsage(parts: UsageFacts): JsonObject {
  const { bill, reasoningTokens } = parts;
  const inputTokens = promptTokensOf(bill);
  return {
    input_tokens: inputTokens,
    input_tokens_details: cacheDetails(parts),
    output_tokens: bill.outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + bill.outputTokens,
  };
}

/** Written tokens are told of models whose writes cost something alone: those with breakpoints. */
function cacheDetails({ bill, facts, figures }: UsageFacts): JsonObject | null {
  if (figures === "null") return null;
  const shown = (tokens: number): number => (figures === "zero" ? 0 : tokens);
  const writes = bill.cacheWrite5mTokens + bill.cacheWrite1hTokens;
  return {
    cached_tokens: shown(bill.cacheReadTokens),
    ...(facts.cache.kind === "breakpoints" ? { cache_write_tokens: shown(writes) } : {}),
  };
}
