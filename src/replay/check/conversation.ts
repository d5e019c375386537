import type { ModelFacts } from "../../model/cache.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TokenCounter } from "../../model/ports.ts";
import { tokensOfValue } from "../readers/block-tokens.ts";
import type { RecordedContext, RecordedRequest } from "../recording.ts";
import { blocksOf, mediaOf, promptToolsOf, systemBlocksOf } from "../simulated/content.ts";
import { objectsOf } from "../simulated/json.ts";
import { type ModelTraits, type Prompt, promptOf } from "../simulated/prompt.ts";
import { fitSizes, SIZE_SAMPLES_MAX, type SizeSample, type Sizes } from "./sizes.ts";
import { thinkingToggles } from "./thinking-turns.ts";

/** What a check needs of the provider, and what it counts with. */
export interface CheckParts {
  readonly counter: TokenCounter;
  readonly factsOf: (model: string | null) => ModelFacts;
  readonly traitsOf: (model: string | null) => ModelTraits;
}

/** A request as the prompt cache sees it, in counted tokens. */
export interface Measured {
  readonly prompt: Prompt;
  /** Positions of tools and system prompt. */
  readonly headCount: number;
  readonly headTokens: number;
  readonly images: number;
}

/** One conversation of a recording with what holds for all its requests. */
export interface Conversation {
  readonly sizes: Sizes;
  /** What the provider counted for the first prompt; 0 where it never told. */
  readonly firstPromptTokens: number;
  /** Indices of requests that open a turn with thinking after one without, or the other way round. */
  readonly toggles: ReadonlySet<number>;
  measure(request: RecordedRequest): Measured;
}

/** Opens a conversation: sizes are fitted to its first requests with a usage, and to no later one. */
export function openConversation(context: RecordedContext, parts: CheckParts): Conversation {
  const measure = (request: RecordedRequest) => measured(request, parts);
  const samples = samplesOf(context.requests, measure);
  return {
    sizes: fitSizes(samples),
    firstPromptTokens: samples[0]?.reported ?? 0,
    toggles: thinkingToggles(context),
    measure,
  };
}

/** Tokens of the whole prompt as the provider reported them; 0 where it reported none. */
export function promptTokensOf({ usage }: RecordedRequest): number {
  return usage === null ? 0 : usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

function samplesOf(
  requests: readonly RecordedRequest[],
  measure: (request: RecordedRequest) => Measured,
): readonly SizeSample[] {
  const first = requests.filter((request) => promptTokensOf(request) > 0).slice(0, SIZE_SAMPLES_MAX);
  return first.map((request) => {
    const { prompt, headTokens } = measure(request);
    const read = request.usage?.cacheReadTokens ?? 0;
    return { counted: prompt.tokens - headTokens, reported: promptTokensOf(request), read };
  });
}

function measured(request: RecordedRequest, { counter, traitsOf }: CheckParts): Measured {
  const body: JsonObject = JSON.parse(Buffer.from(request.body).toString("utf8"));
  const prompt = promptOf(body, {
    traits: traitsOf(request.model),
    counter,
    sizeOf: (block) => tokensOfValue(counter, block),
    isDropped: () => false,
  });
  const headCount = promptToolsOf(body).length + systemBlocksOf(body).length;
  const media = objectsOf(body.messages).flatMap((message) => blocksOf(message.content).flatMap(mediaOf));
  return {
    prompt,
    headCount,
    headTokens: prompt.positions[headCount - 1]?.tokens ?? 0,
    images: media.filter(({ type }) => type === "image").length,
  };
}
