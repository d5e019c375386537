/**
 * What a model's thinking blocks are signed over: nothing, the block itself, or everything sent before it. Unknown is treated as
 * `prefix`.
 */
export type ThinkingBinding = "none" | "block" | "prefix";

/** How a provider remembers the prefix of a prompt. */
export type CacheRules =
  /** Up to breakpoints the request states; each looks back over blocks for a prefix that an earlier breakpoint left. */
  | {
      readonly kind: "breakpoints";
      readonly breakpointsMax: number;
      /** Blocks a breakpoint looks at, its own included. */
      readonly lookbackBlocks: number;
      /** Lifetimes a breakpoint may ask for, in milliseconds. */
      readonly ttlsMs: readonly number[];
      /** How long an entry may live at most, where those are the least it lives. */
      readonly keepsMs?: number;
    }
  /** By itself, in steps of so many tokens, for as long as the provider likes. */
  | { readonly kind: "prefix"; readonly stepTokens: number }
  /** By itself, whole units only: ends of requests and answers. */
  | { readonly kind: "units" }
  | { readonly kind: "none" };

/** Prices that hold from a date on, for prompts longer than a number of tokens. */
export interface PriceRow {
  /** Unix time; 0 when no earlier price is on record. */
  readonly fromMs: number;
  readonly promptTokensOver: number;
  readonly prices: Prices;
}

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
  /** False: thinking of earlier turns is no part of the prompt once the user speaks again. */
  readonly keepsThinking: boolean;
  readonly cache: CacheRules;
  /** Prompt cache lifetime when the request does not state one, in milliseconds. */
  readonly ttlDefaultMs: number;
  /** Shortest prefix the provider caches, in tokens. */
  readonly cacheTokensMin: number;
  /** In the order in which they came into force and of their lengths; the last that holds counts. Empty: unknown, which is not zero. */
  readonly prices: readonly PriceRow[];
  /** Most tokens of prompt and answer together; null where that is not known. */
  readonly windowTokens: number | null;
  /** The provider can delete parts of a cached prefix without writing the rest again. */
  readonly deletesInCache: boolean;
  readonly media: MediaFacts;
}

/** A place in a request's messages up to which a breakpoint makes the provider remember. */
export interface CachePlace {
  /** Items up to and including it. */
  readonly itemCount: number;
  /** Blocks of the messages up to and including it: what a lookback counts. */
  readonly blockCount: number;
  readonly ttlMs: number;
  /** No breakpoint: the end of a prompt, which the provider remembers by itself. */
  readonly isWhole?: true;
}

/** A prompt by its items, and its tokens as the provider counted them. */
export interface CountedPrompt {
  readonly itemCount: number;
  readonly tokens: number;
}

/** A prefix that requests on record left with the provider. */
export interface CacheEntry extends CachePlace {
  /** Start of the last request that wrote or read it, Unix time. */
  readonly usedAtMs: number;
  /** Tokens of the whole prompt up to it as the provider counted them; null where no response told. */
  readonly tokens: number | null;
  /** The request that wrote it. */
  readonly requestId: string;
}
