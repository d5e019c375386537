import type { Span } from "../../lib/json-scan.ts";
import type { CallItem, MediaItem, OpaqueItem, ResultItem, TextItem, ThinkingItem } from "../../model/item.ts";

type Unplaced<T> = Omit<T, "key" | "role" | "messageIndex">;

/** What is known of an item from its message alone. */
export type UnplacedItem =
  | Unplaced<ResultItem>
  | Unplaced<MediaItem>
  | Unplaced<TextItem>
  | Unplaced<CallItem>
  | Unplaced<ThinkingItem>
  | Unplaced<OpaqueItem>;

/** Where an item's original stands, and how its bytes are made from there. Spans are relative to the entry. */
export type Origin =
  | { readonly kind: "strings"; readonly spans: readonly Span[] }
  | { readonly kind: "base64"; readonly span: Span }
  /** Text of a string that begins with `data:` and holds base64 behind its comma. */
  | { readonly kind: "data-url"; readonly span: Span }
  | { readonly kind: "raw"; readonly span: Span }
  /** In one form, without members of the name `omitted`. */
  | { readonly kind: "canonical"; readonly span: Span; readonly omitted: string | null };

/**
 * How an item is replaced. A result's text: one string takes the new text, the cuts disappear; or a whole value gives way to an
 * object with the text as its only member. Media: the block gives way to a text block around the value of its breakpoint, where it
 * has one. Spans are relative to the entry.
 */
export type Slot =
  | { readonly kind: "text"; readonly text: Span; readonly cuts: readonly Span[] }
  | { readonly kind: "member"; readonly value: Span; readonly name: string }
  | { readonly kind: "block"; readonly block: Span; readonly breakpoint: Span | null };

/** An item without its place: everything that does not depend on where its entry stands. */
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

/** One element of the list that a body holds its conversation in, read; remembered with the body it stands in. */
export interface EntrySeed {
  /** Names the wire. */
  readonly kind: string;
  readonly seeds: readonly Seed[];
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
