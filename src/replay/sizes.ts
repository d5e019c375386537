/** One request whose prompt was counted here and by the provider. */
export interface SizeSample {
  /** Estimated tokens of its messages. */
  readonly counted: number;
  /** Estimated tokens of its system prompt and tools. */
  readonly countedHead: number;
  /** Tokens of the whole prompt that the provider reported. */
  readonly reported: number;
  /** Of these, the ones it read from its cache. */
  readonly read: number;
}

/** What a conversation's sizes are in the provider's tokens. */
export interface Sizes {
  /** Everything that no count of the messages explains: system prompt, tools, what the client adds and does not log. */
  readonly base: number;
  /** The provider's tokens to one counted token. */
  readonly rate: number;
  /** System prompt and tools alone, where one of the samples read just them; null where none did. */
  readonly head: number | null;
}

/** Requests that sizes are fitted to; later ones are only compared with what was recorded. */
export const SIZE_SAMPLES_MAX = 5;
/** What this provider's tokens are to the counted ones where the samples are too alike to tell. */
const RATE_EXPECTED = 1.2;
/** Weight of the expectation, as squared tokens of spread between the samples. */
const EXPECTATION_WEIGHT = 10_000_000;

/** Fits sizes to the first samples, by least squares with an expected rate. Without any, a counted token is one token. */
export function fitSizes(samples: readonly SizeSample[]): Sizes {
  const first = samples.slice(0, SIZE_SAMPLES_MAX);
  if (first.length === 0) return { base: 0, rate: 1, head: null };
  const countedMean = mean(first.map(({ counted }) => counted));
  const reportedMean = mean(first.map(({ reported }) => reported));
  let spread = EXPECTATION_WEIGHT;
  let together = EXPECTATION_WEIGHT * RATE_EXPECTED;
  for (const { counted, reported } of first) {
    spread += (counted - countedMean) ** 2;
    together += (counted - countedMean) * (reported - reportedMean);
  }
  const rate = together / spread;
  return { base: Math.max(0, reportedMean - rate * countedMean), rate, head: headOf(first) };
}

/** A read that is shorter than the first prompt ends where no message does: after system prompt and tools. */
function headOf(samples: readonly SizeSample[]): number | null {
  const firstPrompt = samples[0]?.reported ?? 0;
  const reads = samples.map(({ read }) => read).filter((read) => read > 0 && read < firstPrompt * HEAD_SHARE_MAX);
  return reads.length === 0 ? null : Math.min(...reads);
}

/** A later read of almost the whole first prompt is the first prompt. */
const HEAD_SHARE_MAX = 0.95;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
