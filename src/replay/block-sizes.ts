import type { JsonObject } from "../model/json.ts";
import { createRememberingCounter } from "./analyze/remembering-counter.ts";
import { type MeasureParts, sizeSamplesOf } from "./measured-prompt.ts";
import { tokensOfValue } from "./readers/block-tokens.ts";
import type { RecordedContext } from "./recording.ts";
import { fitSizes } from "./sizes.ts";

/** Tokens of a block; `isHead`: of the tools or the system prompt. */
export type BlockSize = (block: JsonObject, isHead: boolean) => number;

/** Sizes of blocks in the provider's tokens, by conversation. */
export interface BlockSizes {
  /** Null for a conversation that reports no usage: nothing is known of the provider's tokens there. */
  of(context: RecordedContext): BlockSize | null;
}

/** Fits the sizes of each conversation to the first usages it reports; each text is counted once. */
export function createBlockSizes(given: MeasureParts): BlockSizes {
  const parts = { ...given, counter: createRememberingCounter(given.counter) };
  const known = new Map<RecordedContext, BlockSize | null>();
  return {
    of(context) {
      const before = known.get(context);
      if (before !== undefined) return before;
      const sizeOf = fittedSize(context, parts);
      known.set(context, sizeOf);
      return sizeOf;
    },
  };
}

function fittedSize(context: RecordedContext, parts: MeasureParts): BlockSize | null {
  const samples = sizeSamplesOf(context, parts);
  const [first] = samples;
  if (first === undefined) return null;
  const { base, rate } = fitSizes(samples);
  const headRate = first.countedHead === 0 ? rate : base / first.countedHead;
  return (block, isHead) => Math.ceil(tokensOfValue(parts.counter, block) * (isHead ? headRate : rate));
}
