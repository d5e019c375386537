import type { TokenCounter } from "../model/ports.ts";
import { tokensOfValue } from "./readers/block-tokens.ts";
import { recordedPrompt } from "./recorded-prompt.ts";
import type { RecordedContext, RecordedRequest } from "./recording.ts";
import type { ModelTraits, Prompt } from "./simulated/prompt.ts";
import { SIZE_SAMPLES_MAX, type SizeSample } from "./sizes.ts";

/** What a recorded prompt is measured with. */
export interface MeasureParts {
  readonly counter: TokenCounter;
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

/** Measures one recorded request. */
export function measurePrompt(request: RecordedRequest, { counter, traitsOf }: MeasureParts): Measured {
  const { prompt, headCount, images } = recordedPrompt(request.wire, request.body, {
    traits: traitsOf(request.model),
    counter,
    sizeOf: (block) => tokensOfValue(counter, block),
    isDropped: () => false,
  });
  return {
    prompt,
    headCount,
    headTokens: prompt.positions[headCount - 1]?.tokens ?? 0,
    images,
  };
}

/** Tokens of the whole prompt as the provider reported them; 0 where it reported none. */
export function promptTokensOf({ usage }: RecordedRequest): number {
  return usage === null ? 0 : usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** The first requests of a conversation that report a usage. Later ones are never read for a size. */
export function sizeSamplesOf({ requests }: RecordedContext, parts: MeasureParts): readonly SizeSample[] {
  const first = requests.filter((request) => promptTokensOf(request) > 0).slice(0, SIZE_SAMPLES_MAX);
  return first.map((request) => {
    const { prompt, headTokens } = measurePrompt(request, parts);
    const read = request.usage?.cacheReadTokens ?? 0;
    return { counted: prompt.tokens - headTokens, countedHead: headTokens, reported: promptTokensOf(request), read };
  });
}
