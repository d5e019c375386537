import type { ModelFacts } from "../../model/cache.ts";
import type { JsonValue } from "../../model/json.ts";

/** Models of one provider as data. */
export interface ModelTable {
  readonly modelIds: readonly string[];
  modelFacts(model: string | null): ModelFacts;
}

/** Models of the APIs beside Anthropic's. */
export interface OtherModels {
  readonly openai: ModelTable;
  readonly gemini: ModelTable;
}

const HOUR_MS = 3_600_000;

/** What stands in for models that nobody stated: an automatic cache, no prices, no window on record. */
const UNSTATED: ModelFacts = {
  isKnown: false,
  thinkingBinding: "block",
  keepsThinking: true,
  cache: { kind: "prefix", stepTokens: 128 },
  ttlDefaultMs: HOUR_MS,
  cacheTokensMin: 1_024,
  prices: [],
  windowTokens: null,
  deletesInCache: false,
  media: {
    bodyBytesMax: 33_554_432,
    imagesMax: 100,
    pixelsPerToken: 750,
    edgePixelsMax: 1_568,
    imagePixelsMax: 1_200_000,
    pageTokensMin: 1_500,
  },
};
const NONE: ModelTable = { modelIds: [], modelFacts: () => UNSTATED };

/** No models on record: each gets the same facts. */
export const unstatedModels: OtherModels = { openai: NONE, gemini: NONE };

/** How Anthropic lists its models. */
export function anthropicList(ids: readonly string[]): JsonValue {
  const data = ids.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" }));
  return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
}

/** How OpenAI lists its models. */
export function openaiList(ids: readonly string[]): JsonValue {
  const created = 1_767_225_600;
  return { object: "list", data: ids.map((id) => ({ id, object: "model", created, owned_by: "simulated" })) };
}

/** How Gemini lists its models. */
export function geminiList(ids: readonly string[]): JsonValue {
  const supportedGenerationMethods = ["generateContent", "countTokens"];
  return { models: ids.map((id) => ({ name: `models/${id}`, displayName: id, supportedGenerationMethods })) };
}
