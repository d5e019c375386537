import type { Digest, Item, Role } from "./item.ts";

export interface Message {
  readonly role: Role;
  /** Index of its first item in `Transcript.items`, and one past its last. */
  readonly itemStart: number;
  readonly itemEnd: number;
}

/** What a request states beside its messages. */
export interface RequestHeader {
  readonly model: string | null;
  readonly toolNames: readonly string[];
  /** Text of the top-level system prompt, block by block. */
  readonly systemTexts: readonly string[];
  /** SHA-256 over tools, system and the parameters the provider's cache depends on, without cache_control. */
  readonly cacheKey: Digest;
  /** Longest lifetime asked for by a cache breakpoint of this request, in milliseconds; null without a breakpoint. */
  readonly cacheTtlMs: number | null;
  readonly isStreaming: boolean;
  /** Bytes of tools and system prompt as they came. */
  readonly overheadBytes: number;
}

/** The ordered content of one request. */
export interface Transcript {
  readonly header: RequestHeader;
  readonly messages: readonly Message[];
  readonly items: readonly Item[];
}

/** Turns count genuine user messages, steps count assistant messages; both from the start of the conversation. */
export interface Clock {
  readonly turn: number;
  readonly step: number;
}
