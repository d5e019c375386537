import type { Digest, Item, Role } from "./item.ts";

export interface Message {
  readonly role: Role;
  /** Index of its first item in `Transcript.items`, and one past its last. */
  readonly itemStart: number;
  readonly itemEnd: number;
}

/** A cache breakpoint in the messages: the provider may remember everything up to its block. */
export interface Breakpoint {
  /** Items up to and including the block. */
  readonly itemCount: number;
  readonly ttlMs: number;
}

/** What the provider's cache is kept apart by, part by part: tells what changed between two requests. Null: not stated. */
export interface RequestParts {
  readonly tools: Digest;
  readonly system: Digest;
  readonly thinking: string | null;
  readonly effort: string | null;
  readonly toolChoice: string | null;
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
  readonly parts: RequestParts;
  /** Cache breakpoints on tools and system prompt. */
  readonly headBreakpoints: number;
  /** The client asks the provider to clear parts of the context itself. */
  readonly hasServerClear: boolean;
  readonly isStreaming: boolean;
  /** Bytes of tools and system prompt as they came. */
  readonly overheadBytes: number;
}

/** The ordered content of one request. */
export interface Transcript {
  readonly header: RequestHeader;
  readonly messages: readonly Message[];
  readonly items: readonly Item[];
  /** In the order of their places; one that the provider places by itself stands where it would place it. */
  readonly breakpoints: readonly Breakpoint[];
}

/** Turns count genuine user messages, steps count assistant messages; both from the start of the conversation. */
export interface Clock {
  readonly turn: number;
  readonly step: number;
}
