import { MEDIA_FACTS } from "./media-facts.ts";
import { providerOf, type RecordedFacts, type TableProvider } from "./model-table.ts";

const DAY_MS = 86_400_000;

/**
 * A server that speaks another provider's format: whatever a prompt shares with an earlier one may be cached, from its first token on
 * and for a day, and thinking is text without a signature. Nothing has a price.
 */
export const COMPATIBLE_FACTS: RecordedFacts = {
  thinkingBinding: "none",
  keepsThinking: true,
  cache: { kind: "prefix", stepTokens: 1 },
  ttlDefaultMs: DAY_MS,
  cacheTokensMin: 0,
  prices: [],
  windowTokens: null,
  deletesInCache: false,
  media: MEDIA_FACTS,
};

/** Servers that speak OpenAI's formats: other vendors', and local ones such as vLLM, llama.cpp and Ollama. */
export const compatibleProvider: TableProvider = providerOf({
  name: "compatible",
  originDefault: "http://127.0.0.1:8000",
  rows: {},
  keyOf: () => null,
  assumed: COMPATIBLE_FACTS,
  sources: [
    "Assumed of every model: steps of one token, no minimum length, a lifetime of a day, and thinking without a signature. vLLM, SGLang and llama.cpp keep the longest common prefix; how long is up to their memory.",
    "No prices: state yours under `models`.",
  ],
});
