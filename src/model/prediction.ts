/** What a request is predicted to read from the provider's cache and to write to it. */
export interface Prediction {
  /** Where the read ends: at a prefix of the messages, behind system prompt and tools, nowhere, or nobody can tell. */
  readonly place: "entry" | "head" | "nothing" | "unknown";
  /** Null where nobody can tell. */
  readonly readTokens: number | null;
  /** An estimate; null where nobody can tell. */
  readonly writtenTokens: number | null;
  /** `readTokens` is what the provider counted itself; else an estimate. */
  readonly isExact: boolean;
  /**
   * The provider caches by itself, in steps of so many tokens: it may read further than predicted, an answer that it gave among that,
   * and tells of no writes.
   */
  readonly stepTokens?: number;
}

/** Why the provider read something else than predicted. */
export type MissCause =
  | "ttl"
  | "model"
  | "tools"
  | "system"
  | "thinking changed"
  | "client edited history"
  | "hidden request"
  | "ours"
  | "unknown";

/** What came of a prediction. `none reported`: the provider tells nothing of its cache where it should. */
export type Verdict = "held" | "unjudged" | "none reported" | MissCause;

/** What a request cost with Ebb beyond what it would have cost without: negative is cheaper. */
export interface NetCost {
  /** Null where no price is on record. */
  readonly usd: number | null;
  /** In tokens at the base price of input. */
  readonly weightedTokens: number;
  /** The part of it that later requests are expected to bring back, and how many they are. */
  readonly invested?: Investment;
}

/** What was written again because that was expected to pay within so many requests. */
export interface Investment {
  readonly usd: number | null;
  readonly weightedTokens: number;
  readonly requests: number;
}
