import type { JsonObject } from "../../../model/json.ts";
import { promptTokensOf, type TokenBill } from "../price.ts";
import type { Scenario } from "../scenario.ts";

/** What the usage of one answer is made of. */
export interface GeminiUsage {
  readonly bill: TokenBill;
  readonly thoughtsTokens: number;
  readonly figures: Scenario["cacheFigures"];
}

/** A bill as `usageMetadata`; what is nothing is left out, as the API does. */
export function usageMetadata({ bill, thoughtsTokens, figures }: GeminiUsage): JsonObject {
  const promptTokens = promptTokensOf(bill);
  const cached = figures === undefined ? bill.cacheReadTokens : 0;
  const details = (tokenCount: number) => [{ modality: "TEXT", tokenCount }];
  return {
    promptTokenCount: promptTokens,
    ...(cached > 0 ? { cachedContentTokenCount: cached, cacheTokensDetails: details(cached) } : {}),
    candidatesTokenCount: bill.outputTokens - thoughtsTokens,
    ...(thoughtsTokens > 0 ? { thoughtsTokenCount: thoughtsTokens } : {}),
    totalTokenCount: promptTokens + bill.outputTokens,
    promptTokensDetails: details(promptTokens),
  };
}
