import type { PriceRow } from "../model/cache.ts";
import { MEDIA_FACTS } from "./media-facts.ts";
import { type ModelRow, providerOf, type RecordedFacts, type TableProvider } from "./model-table.ts";
import { freeWrites } from "./price-rows.ts";

const DAY_MS = 86_400_000;

/**
 * Whole units end where a request's input or an answer ends. No page states a minimum or a lifetime: whatever may be cached is
 * taken as cached, for a day. What the model thought is plain text, signed by nothing. Sources: the provider's pages on context caching
 * and on its thinking mode.
 */
const ASSUMED: RecordedFacts = {
  thinkingBinding: "none",
  keepsThinking: true,
  cache: { kind: "units" },
  ttlDefaultMs: DAY_MS,
  cacheTokensMin: 0,
  prices: [],
  windowTokens: null,
  deletesInCache: false,
  media: MEDIA_FACTS,
};

/** Prices of 2026-07, from a public table of models in an open-source repository. */
const MODELS: Readonly<Record<string, ModelRow>> = Object.fromEntries([
  model("deepseek-v4-flash", [freeWrites(0.14, 0.0028, 0.28)]),
  model("deepseek-v4-pro", [freeWrites(0.435, 0.003625, 0.87)]),
]);

/** The DeepSeek API with its disk cache: names, cache rules and prices. */
export const deepseekProvider: TableProvider = providerOf({
  name: "deepseek",
  originDefault: "https://api.deepseek.com",
  rows: MODELS,
  keyOf: (id) =>
    id
      .trim()
      .toLowerCase()
      .replace(/^deepseek\//, ""),
  assumed: ASSUMED,
  sources: [
    "Whole units at the ends of requests and answers: the provider's documentation. Units that it forms by itself, at fixed intervals and where requests share a beginning, are not described closely enough to count with.",
    "Prices: a public table of models in an open-source repository, of July 2026. Writing costs what input costs.",
    "Assumed: no minimum length, and a lifetime of a day.",
    "Thinking: the provider's page on its thinking mode. `reasoning_content` is text without a signature, which goes back as it came.",
  ],
});

function model(id: string, prices: readonly PriceRow[]): readonly [string, ModelRow] {
  return [id, { id, facts: { ...ASSUMED, prices } }];
}
