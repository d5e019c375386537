import type { ModelFacts } from "../../model/cache.ts";
import { type Measured, type MeasureParts, measurePrompt, sizeSamplesOf } from "../measured-prompt.ts";
import type { RecordedContext, RecordedRequest } from "../recording.ts";
import { fitSizes, type Sizes } from "../sizes.ts";

/** What a check needs of the provider, and what it counts with. */
export interface CheckParts extends MeasureParts {
  readonly factsOf: (model: string | null) => ModelFacts;
}

/** One conversation of a recording with what holds for all its requests. */
export interface Conversation {
  readonly sizes: Sizes;
  /** What the provider counted for the first prompt; 0 where it never told. */
  readonly firstPromptTokens: number;
  measure(request: RecordedRequest): Measured;
}

/** Opens a conversation: sizes are fitted to its first requests with a usage, and to no later one. */
export function openConversation(context: RecordedContext, parts: CheckParts): Conversation {
  const samples = sizeSamplesOf(context, parts);
  return {
    sizes: fitSizes(samples),
    firstPromptTokens: samples[0]?.reported ?? 0,
    measure: (request) => measurePrompt(request, parts),
  };
}
