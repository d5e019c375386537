/** Whether a model's thinking blocks are signed over everything sent before them. Unknown is treated as `prefix`. */
export type ThinkingBinding = "none" | "prefix";

/** Prices in US dollars per million tokens. */
export interface Prices {
  readonly input: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** What one request may hold of images and documents, and what they cost. */
export interface MediaFacts {
  /** Longest body the provider takes, in bytes. */
  readonly bodyBytesMax: number;
  /** Images and documents together. */
  readonly imagesMax: number;
  /** Pixels of one token, of an image scaled down to fit both maxima. */
  readonly pixelsPerToken: number;
  readonly edgePixelsMax: number;
  readonly imagePixelsMax: number;
  /** Fewest tokens of a document with pages: one page. */
  readonly pageTokensMin: number;
}

/** What Ebb must know of a model. `isKnown` false: the most cautious values stand in. */
export interface ModelFacts {
  readonly isKnown: boolean;
  readonly thinkingBinding: ThinkingBinding;
  /** Prompt cache lifetime when the request does not state one, in milliseconds. */
  readonly ttlDefaultMs: number;
  /** Shortest prefix the provider caches, in tokens. */
  readonly cacheTokensMin: number;
  /** Null when unknown; unknown is not zero. */
  readonly prices: Prices | null;
  readonly media: MediaFacts;
}
