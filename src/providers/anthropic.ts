import type { CacheRules, MediaFacts, ModelFacts } from "../model/cache.ts";
import type { Provider } from "../model/ports.ts";
import { readModelId } from "./anthropic-model-id.ts";
import { ANTHROPIC_MODELS, FORGETTING_MODELS, type ModelRow, SYSTEM_MESSAGE_MODELS } from "./anthropic-models.ts";

/** What a model does with history beyond `ModelFacts`; needed to imitate it, not to use it. */
export interface AnthropicTraits {
  /** Takes messages of role `system` inside `messages`. */
  readonly allowsSystemMessages: boolean;
  /** Keeps the thinking of earlier turns when the user speaks again. */
  readonly keepsThinking: boolean;
}

/** The Anthropic API as data. */
export interface AnthropicProvider extends Provider {
  /** One id for each model on record, newest first within a family. */
  readonly modelIds: readonly string[];
  traitsOf(model: string | null): AnthropicTraits;
}

const TTL_DEFAULT_MS = 300_000;
const TTL_HOUR_MS = 3_600_000;
const CACHE: CacheRules = {
  kind: "breakpoints",
  breakpointsMax: 4,
  lookbackBlocks: 20,
  ttlsMs: [TTL_DEFAULT_MS, TTL_HOUR_MS],
};
/** Shortest minimum of any model: what may be cached is taken as cached. */
const CACHE_TOKENS_MIN_UNKNOWN = 512;

/** The same for all models; some take larger images, which then cost more. Source: the provider's vision and errors pages. */
const MEDIA: MediaFacts = {
  bodyBytesMax: 32 * 1024 * 1024,
  imagesMax: 100,
  pixelsPerToken: 750,
  edgePixelsMax: 1_568,
  imagePixelsMax: 1_150_000,
  pageTokensMin: 1_500,
};

/** Endpoint and models of the Anthropic API. An unknown model gets the most cautious facts, and no prices. */
export const anthropicProvider: AnthropicProvider = {
  name: "anthropic",
  originDefault: "https://api.anthropic.com",
  modelIds: Object.values(ANTHROPIC_MODELS).map((model) => model.id),
  modelFacts,
  traitsOf,
};

function modelFacts(model: string | null): ModelFacts {
  const known = rowOf(model);
  return {
    isKnown: known !== null,
    thinkingBinding: known?.binding ?? "prefix",
    cache: CACHE,
    ttlDefaultMs: TTL_DEFAULT_MS,
    cacheTokensMin: known?.cacheTokensMin ?? CACHE_TOKENS_MIN_UNKNOWN,
    prices: known?.prices ?? [],
    windowTokens: known?.windowTokens ?? null,
    deletesInCache: false,
    media: MEDIA,
  };
}

function traitsOf(model: string | null): AnthropicTraits {
  const key = keyOf(model);
  if (key === null || ANTHROPIC_MODELS[key] === undefined) return { allowsSystemMessages: true, keepsThinking: true };
  return { allowsSystemMessages: SYSTEM_MESSAGE_MODELS.has(key), keepsThinking: !FORGETTING_MODELS.has(key) };
}

function rowOf(model: string | null): ModelRow | null {
  const key = keyOf(model);
  return key === null ? null : (ANTHROPIC_MODELS[key] ?? null);
}

function keyOf(model: string | null): string | null {
  const name = model === null ? null : readModelId(model);
  return name === null ? null : `${name.family} ${name.version}`;
}
