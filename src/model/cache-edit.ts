import type { Address, Digest, ItemKey } from "./item.ts";

/** A result that the provider is to delete from its own cache. */
export interface CacheDeletion {
  readonly itemKey: ItemKey;
  readonly address: Address;
  /** SHA-256 of the original. */
  readonly digest: Digest;
  /** Tokens of the original, estimated. */
  readonly tokens: number;
  /** What the note says of it, on a line of its own. */
  readonly line: string;
  /** How its original comes back, as the note says it; null where the note does not. */
  readonly recall: string | null;
}

/** Deletions that one request took, at the place where every later request repeats them. */
export interface CacheEditBlock {
  /** The request that took them. */
  readonly requestId: string;
  /** The item of a user message behind which they stand. */
  readonly anchorKey: ItemKey;
  readonly deletions: readonly CacheDeletion[];
  /** The text that says what left: as it went out first, never rendered again. */
  readonly note: string;
}

/** Why cache edits end. */
export type Boundary = "session-reset" | "manual-flush" | "rewind" | "compaction";
