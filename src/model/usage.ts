import type { ServerCleared } from "./server-clear.ts";

/** Tokens of one response as the provider reported them. */
export interface Usage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** What a watcher learned from one response. */
export interface ResponseFacts {
  /** Null when the response carried none, was cut, or could not be read. */
  readonly usage: Usage | null;
  readonly messageId: string | null;
  readonly stopReason: string | null;
  /** Tool calls of the response, in order. */
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  /** The provider's error type, for a refused request or an error inside the stream. */
  readonly errorType: string | null;
  /** The request was refused because its signed thinking does not fit what stands before it. */
  readonly refusesThinking?: true;
  /** The request was refused because it asks the provider to clear by itself. */
  readonly refusesClearing?: true;
  /** What the provider cleared by itself from the prompt; absent where the response does not tell. */
  readonly serverCleared?: ServerCleared;
  /** True when the response ended as its format says it must. */
  readonly isComplete: boolean;
}
