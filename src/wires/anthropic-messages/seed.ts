import type { Span } from "../../lib/json-scan.ts";
import type {
  CallItem,
  Digest,
  MediaItem,
  OpaqueItem,
  ResultItem,
  Role,
  TextItem,
  ThinkingItem,
} from "../../model/item.ts";
import type { Breakpoint } from "../../model/transcript.ts";
import type { Layout } from "./layout.ts";

type Unplaced<T> = Omit<T, "key" | "role" | "messageIndex">;

/** What is known of an item from its message alone. */
export type UnplacedItem =
  | Unplaced<ResultItem>
  | Unplaced<MediaItem>
  | Unplaced<TextItem>
  | Unplaced<CallItem>
  | Unplaced<ThinkingItem>
  | Unplaced<OpaqueItem>;

/** Where an item's original stands, and how its bytes are made from there. Spans are relative to the message. */
export type Origin =
  | { readonly kind: "strings"; readonly spans: readonly Span[] }
  | { readonly kind: "base64"; readonly span: Span }
  | { readonly kind: "raw"; readonly span: Span }
  | { readonly kind: "canonical"; readonly span: Span };

/**
 * How an item is replaced. A result's text: one string takes the new text, the cuts disappear. Media: the block gives way to a
 * text block around the value of its breakpoint, where it has one. Spans are relative to the message.
 */
export type Slot =
  | { readonly kind: "text"; readonly text: Span; readonly cuts: readonly Span[] }
  | { readonly kind: "block"; readonly block: Span; readonly breakpoint: Span | null };

/** An item without its place: everything that does not depend on where the message stands. */
export interface Seed {
  readonly item: UnplacedItem;
  /** The key up to the occurrence that tells equal ones apart. */
  readonly keyStem: string;
  /** True where the first occurrence carries no number (keys with a call id). */
  readonly isNamed: boolean;
  readonly origin: Origin;
  /** Null without a text or a payload. An item that is not to be replaced anew has one too, so that a form sent before is repeated. */
  readonly slot: Slot | null;
}

/** One message, read; remembered with the body it stands in. */
export interface MessageSeed {
  readonly kind: "anthropic-message";
  /** Null where the message states none that is known: nobody can tell whose it is. */
  readonly role: Role | null;
  readonly seeds: readonly Seed[];
  /** By the seeds up to and including their block. */
  readonly breakpoints: readonly Breakpoint[];
  /** Seeds up to and including the last block on which the provider may place a breakpoint by itself; 0 without one. */
  readonly carrierCount: number;
  /** Null where the message takes no blocks of others. */
  readonly layout: Layout | null;
}

/** Tools or a system prompt, read; remembered by the digest of the raw bytes. */
export interface PartSeed {
  readonly kind: "anthropic-tools" | "anthropic-system";
  /** Tool names, or the system prompt's texts. */
  readonly texts: readonly string[];
  /** SHA-256 of what the provider's cache depends on. */
  readonly digest: Digest;
  readonly breakpoints: number;
  readonly cacheTtlMs: number | null;
}

/** The same item, which may no longer be replaced anew. */
export function sealSeed(seed: Seed): Seed {
  const { item } = seed;
  const isReleasable = item.kind === "result" || item.kind === "media";
  return isReleasable ? { ...seed, item: { ...item, isReplaceable: false } } : seed;
}

/** What this wire remembered under a digest; null for nothing, and for what is none of its own. */
export function recallSeed<Seeded extends { readonly kind: string }>(
  value: unknown,
  kind: Seeded["kind"],
): Seeded | null {
  const isOurs = typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
  return isOurs ? (value as Seeded) : null;
}
