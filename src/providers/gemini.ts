import type { PriceRow } from "../model/cache.ts";
import { MEDIA_FACTS } from "./media-facts.ts";
import { type ModelRow, providerOf, type RecordedFacts, type TableProvider } from "./model-table.ts";
import { freeWrites } from "./price-rows.ts";

const DAY_MS = 86_400_000;
const TIER_TOKENS = 200_000;

/**
 * Implicit caching, at the length from which any page lets it begin. No page states a lifetime: nothing counts as expired before
 * a day. Signed thoughts may stand behind results that were shortened: the provider's own agent, Gemini CLI, masks old tool output in
 * histories that hold them. Sources: the provider's caching page; the tool output masking of Gemini CLI.
 */
const ASSUMED: RecordedFacts = {
  thinkingBinding: "block",
  keepsThinking: true,
  cache: { kind: "prefix", stepTokens: 1 },
  ttlDefaultMs: DAY_MS,
  cacheTokensMin: 1_024,
  prices: [],
  windowTokens: null,
  deletesInCache: false,
  media: MEDIA_FACTS,
};

/** Prices of 2026-07, from a public table of models in an open-source repository. */
const MODELS: Readonly<Record<string, ModelRow>> = Object.fromEntries([
  model("gemini-3.1-pro", [freeWrites(2, 0.2, 12), freeWrites(4, 0.4, 18, { promptTokensOver: TIER_TOKENS })]),
  model("gemini-3.5-flash", [freeWrites(1.5, 0.15, 9)]),
  model("gemini-3-flash", [freeWrites(0.5, 0.05, 3)]),
  model("gemini-2.5-pro", [freeWrites(1.25, 0.125, 10), freeWrites(2.5, 0.25, 15, { promptTokensOver: TIER_TOKENS })]),
]);

/** The Gemini API with its implicit cache: names, cache rules and prices. */
export const geminiProvider: TableProvider = providerOf({
  name: "gemini",
  originDefault: "https://generativelanguage.googleapis.com",
  rows: MODELS,
  keyOf: bareId,
  assumed: ASSUMED,
  sources: [
    "Implicit caching, the read price at a tenth and free writes: the provider's documentation. Hits are best effort there; explicit caches are not described here.",
    "Prices and their length tiers: a public table of models in an open-source repository, of July 2026.",
    "Assumed: the shortest minimum that any page states, steps of one token, a lifetime of a day.",
    "Thinking: a thought signature is bound to its own part. The provider's agent, Gemini CLI, masks old tool output in front of signed thoughts.",
  ],
});

function model(id: string, prices: readonly PriceRow[]): readonly [string, ModelRow] {
  return [id, { id, facts: { ...ASSUMED, prices } }];
}

/** Without a folder or router's prefix, and without the mark of a preview. */
function bareId(id: string): string {
  return id
    .trim()
    .toLowerCase()
    .replace(/^(?:models|google)\//, "")
    .replace(/-preview(?:-\d{2}-\d{2}(?:-\d{4})?|-\d{2}-\d{4})?$/, "");
}
