import type { JsonObject } from "../../model/json.ts";
import type { TokenBill } from "./price.ts";

/** How the provider reports its cache: as it was, or always as nothing or as unknown, the whole prompt being plain input. */
export type CacheFigures = "true" | "zero" | "null";

/** What the usage of one answer is made of. */
export interface UsageParts {
  readonly figures: CacheFigures;
  /** Tokens deleted from the cached prefix over the whole conversation; null where deletions are not on. */
  readonly deletedTokens: number | null;
}

/** A bill as the API's usage fields. */
export function usageOf(bill: TokenBill, { figures, deletedTokens }: UsageParts): JsonObject {
  const shown = (tokens: number): number | null => (figures === "true" ? tokens : figures === "zero" ? 0 : null);
  const cached = bill.cacheReadTokens + bill.cacheWrite5mTokens + bill.cacheWrite1hTokens;
  return {
    input_tokens: bill.inputTokens + (figures === "true" ? 0 : cached),
    cache_creation_input_tokens: shown(bill.cacheWrite5mTokens + bill.cacheWrite1hTokens),
    cache_read_input_tokens: shown(bill.cacheReadTokens),
    cache_creation:
      figures === "null"
        ? null
        : {
            ephemeral_5m_input_tokens: shown(bill.cacheWrite5mTokens),
            ephemeral_1h_input_tokens: shown(bill.cacheWrite1hTokens),
          },
    ...(deletedTokens === null ? {} : { cache_deleted_input_tokens: shown(deletedTokens) }),
    output_tokens: bill.outputTokens,
    service_tier: "standard",
  };
}
