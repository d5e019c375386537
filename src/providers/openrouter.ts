import type { ModelFacts } from "../model/cache.ts";
import { anthropicProvider } from "./anthropic.ts";
import { COMPATIBLE_FACTS } from "./compatible.ts";
import { deepseekProvider } from "./deepseek.ts";
import { geminiProvider } from "./gemini.ts";
import type { TableProvider } from "./model-table.ts";
import { openaiProvider } from "./openai.ts";

/** Whose model an id names, by what stands in front of it. */
const VENDORS: ReadonlyMap<string, TableProvider> = new Map([
  ["anthropic", anthropicProvider],
  ["openai", openaiProvider],
  ["google", geminiProvider],
  ["deepseek", deepseekProvider],
]);

/** A variant behind the id: `:free`, `:nitro`. */
const VARIANT = /:[a-z]+$/;

/** OpenRouter: a model is what its vendor says of it. One whose vendor is not on record may be anybody's, and sign its thinking. */
export const openrouterProvider: TableProvider = {
  name: "openrouter",
  originDefault: "https://openrouter.ai/api",
  modelIds: [],
  sources: [
    "A model named `vendor/model` has the facts and prices of its vendor, for `anthropic`, `openai`, `google` and `deepseek`. OpenRouter passes prices on and prefers the server that holds a conversation's cache, without promising it: its page on prompt caching.",
    "Of every other model is assumed what is of a compatible server, and that its thinking is bound to what stands before it.",
  ],
  modelFacts(model): ModelFacts {
    const id = (model ?? "").trim().toLowerCase().replace(VARIANT, "");
    const vendor = VENDORS.get(id.slice(0, Math.max(0, id.indexOf("/"))));
    return vendor?.modelFacts(id) ?? { isKnown: false, ...COMPATIBLE_FACTS, thinkingBinding: "prefix" };
  },
};
