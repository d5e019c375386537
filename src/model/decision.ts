import type { Address, Digest, Item, ItemKey } from "./item.ts";
import type { Wish } from "./wish.ts";

/** Why content leaves. */
export type ReleaseReason =
  | "stale"
  | "superseded"
  | "over_bound"
  | "stub_repair"
  | "expired"
  | "let_go"
  | "kept"
  | "over_budget";

/** Why a release may act now. */
export type Moment =
  | "first-send"
  | "prefix-broken"
  | "cold"
  | "native"
  | "server-clear"
  | "pays"
  | "pressure"
  | "limit"
  | "deliberate"
  | "forced";

/** Why an item stays as it is. The seed's names, then Ebb's. */
export type DeclineReason =
  | "no_file_reads"
  | "fresh_read"
  | "non_text_blocks"
  | "already_marked"
  | "kept_verbatim_after_expand"
  | "below_min_tokens"
  | "cached_prefix"
  | "marker_no_win"
  | "path_active"
  | "load_bearing"
  | "held_by_span"
  | "protected"
  | "bound_thinking"
  | "not_stored"
  | "unknown_boundary"
  | "does_not_pay"
  | "thrash_guard";

export type MarkerMode = "full" | "summary" | "off";

/** The way back a marker may name: a shell command, a tool the request offers, or none that this lineage can reach. */
export type RecallChannel =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "tool"; readonly name: string }
  | { readonly kind: "none" };

/** What an item was, for markers, labels and lists. */
export interface ItemLabel {
  readonly tool: string | null;
  readonly path: string | null;
  /** Lines of the file, 1-based inclusive; null when not a numbered read. */
  readonly lineStart: number | null;
  readonly lineEnd: number | null;
  readonly command: string | null;
}

/** A policy's wish. */
export interface Proposal {
  readonly itemKey: ItemKey;
  readonly policy: string;
  readonly reason: ReleaseReason;
  readonly markerMode: MarkerMode;
  /** The later item that proves the reason (the edit, the second read); null where the item proves it itself. */
  readonly evidenceKey: ItemKey | null;
  /** May act on items already sent: where the provider's cache has expired or does not reach them, and where it pays. */
  readonly allowsCold: boolean;
  /** Act at any depth on models that do not bind thinking, whatever the cache holds (`stale_at_depth`). */
  readonly isForced: boolean;
  /** Decided by the agent or the user: acts at the next request, whatever the cache holds. Null for a policy's own wish. */
  readonly wish: Wish | null;
  /** Acts only at moments that cost nothing, although it carries out a wish. */
  readonly waitsForFree: boolean;
}

/** A proposal in its place: the item, the moment it has, and the marker it would leave. */
export interface Candidate {
  readonly proposal: Proposal;
  readonly item: Item;
  /** Null when no moment allows it now. */
  readonly moment: Moment | null;
  /** Renders the marker on first use. */
  rendering(): Rendering;
}

export interface Rendering {
  readonly text: string;
  readonly tokens: number;
  readonly bytes: number;
}

/** An item that stays, and why, in a code and in words. `itemKey` null speaks for the whole request. */
export interface Decline {
  readonly itemKey: ItemKey | null;
  readonly policy: string;
  readonly reason: DeclineReason;
  readonly words: string;
}

/** What was settled about one item; recorded before it acts and never re-rendered. */
export interface Decision {
  readonly itemKey: ItemKey;
  readonly address: Address;
  readonly policy: string;
  readonly reason: ReleaseReason;
  readonly evidenceKey: ItemKey | null;
  /** The wish this carries out; null for a policy's own decision. */
  readonly wish: Wish | null;
  readonly moment: Moment;
  /** The first thinking block that stood behind the item when it left: signed over the original where a model signs at all. */
  readonly thinkingBehind: ItemKey | null;
  readonly step: number;
  readonly turn: number;
  readonly templateVersion: number;
  readonly channel: RecallChannel;
  /** The exact text that stands in the item's place; where the provider deletes the item, its line in the note. */
  readonly marker: string;
  readonly originalDigest: Digest;
  readonly originalBytes: number;
  readonly originalTokens: number;
  readonly markerTokens: number;
}

/** A decision that puts an item back in full: recorded like any other, and acting at its moment. */
export interface Restoration {
  readonly itemKey: ItemKey;
  readonly address: Address;
  readonly moment: Moment;
  readonly step: number;
  readonly turn: number;
}

/** Where an item stands, computed from the ledger. */
export type Standing = { readonly state: "held" } | { readonly state: "released"; readonly decision: Decision };
