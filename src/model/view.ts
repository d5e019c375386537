import type { PlacedAcquisition, ReadFact, ToolKind } from "./acquisition.ts";
import type { CacheEntry, CountedPrompt, ModelFacts } from "./cache.ts";
import type { ItemLabel, RecallChannel, Standing } from "./decision.ts";
import type { Address, Item, ItemKey } from "./item.ts";
import type { Clock, Transcript } from "./transcript.ts";
import type { Wish } from "./wish.ts";

/**
 * What the provider may already hold of an item. `new`: never sent in this lineage and after the last assistant
 * message. `sent`: part of an earlier request of this lineage. `unknown`: Ebb did not see whether it was sent.
 */
export type Exposure = "new" | "sent" | "unknown";

/** Over either number, strictly, a result is over the bound. */
export interface SizeBound {
  readonly lines: number;
  readonly bytes: number;
}

/** A read that left the transcript, by its address; `text` only where no recall is reachable. */
export interface LostRead {
  readonly address: Address;
  readonly text: string | null;
}

/**
 * How a release can act in front of thinking that is signed over it: all thinking leaves with it, which costs nothing where the
 * provider holds none of it any more; or the provider drops what no longer fits, as it may be asked already.
 */
export type ThinkingWay =
  | { readonly kind: "strip"; readonly keys: readonly ItemKey[]; readonly isFree: boolean }
  | { readonly kind: "drop"; readonly isOn: boolean };

/** What the provider may hold of a request's items in its cache, as far as the ledger tells. */
export interface CacheView {
  /** Start of the request, Unix time. */
  readonly atMs: number;
  /** How many items at the head it may hold at most. */
  readonly heldCount: number;
  /** False where not all that may have filled the cache is on record: then nothing that costs acts for its price. */
  readonly isKnown: boolean;
  /** Prefixes that requests of this lineage left under this model and cache key, that still live, in their order. */
  readonly entries: readonly CacheEntry[];
  /** Blocks of the messages up to and including each item, as the model has them before it; the first number stands before all. */
  readonly blockCounts: readonly number[];
  /** The last prompt of this lineage whose length the provider told, where nothing in it changed since. */
  readonly counted: CountedPrompt | null;
}

/** Everything policies and gates may look at for one request. Pure data and pure look-ups. */
export interface View {
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly model: ModelFacts;
  readonly channel: RecallChannel;
  /** Acquisitions of this transcript by the key of their result. */
  readonly acquisitions: ReadonlyMap<ItemKey, PlacedAcquisition>;
  /** Reads of this transcript, in order, by the key of their result. */
  readonly reads: ReadonlyMap<ItemKey, ReadFact>;
  /** Length of the body as it came. */
  readonly bodyBytes: number;
  /** True when the provider's cache for this lineage has certainly expired. */
  readonly isCold: boolean;
  /** True for an item known from an earlier request where no cache the provider may hold reaches as far: it is written again anyway. */
  isBroken(item: Item): boolean;
  readonly cache: CacheView;
  /** False where predictions of what the provider reads from its cache do not hold: then nothing acts on what it may hold. */
  readonly isTrusted: boolean;
  /** Ebb cost more than it saved here over the last requests. */
  readonly isNetGuarded: boolean;
  /** True where this request can ask the provider to delete the item from its cache. */
  canDelete(item: Item): boolean;
  /** True where a cache breakpoint can be put on the item's block. */
  canMark(item: Item): boolean;
  itemOf(key: ItemKey): Item | null;
  standingOf(key: ItemKey): Standing;
  exposureOf(item: Item): Exposure;
  /** The first thinking block after the item that is part of the prompt, which was signed over it; null when none stands there. */
  thinkingBehind(item: Item): ItemKey | null;
  /** How a release can act in front of such a block in this request; null: it cannot. */
  readonly thinkingWay: ThinkingWay | null;
  /** The provider refused signed thinking of this conversation. */
  readonly isRefused: boolean;
  /** True for thinking that is no part of the prompt any more: left out, or dropped by the provider. */
  isGone(item: Item): boolean;
  /** True when a rule forbids keeping the item's original, or the store cannot take it. */
  isUnstorable(key: ItemKey): boolean;
  isProtected(key: ItemKey): boolean;
  /** The address an item stands for where it came in as a marker of Ebb; null for every other text. */
  echoOf(key: ItemKey): Address | null;
  /** The last wish about an item; null when nobody decided anything. */
  wishOf(key: ItemKey): Wish | null;
  /** True while a declared lifetime of the item runs. */
  isHeldBySpan(key: ItemKey): boolean;
  /** Why an item's lifetime is over, in words; null while it runs, has none, or cannot be judged. */
  expiryOf(key: ItemKey): string | null;
  /** The known address whose recall brought this item back; null for every other item. */
  recalledFrom(item: Item): Address | null;
  /** Until when recalled text is exempt from release by rule, in words; null once that is over, and for every other item. */
  exemptionOf(item: Item): string | null;
  /** What a call did, or the one behind a result or media; null where there is none. */
  kindOf(item: Item): ToolKind | null;
  /** In how many steps releases of the file an item came from turned out to be missed. */
  faultsOf(item: Item): number;
  labelOf(item: Item): ItemLabel;
  /** The file an item came from, absolute where the working directory is known; null where it came from none. */
  absolutePathOf(item: Item): string | null;
  /** For an "unchanged" stub whose target this transcript does not hold: the earlier read, where the ledger knows it. */
  lostReadOf(stubKey: ItemKey): LostRead | null;
  /** Estimated tokens of the item's original. */
  tokensOf(item: Item): number;
  /** True when the original has more than `count` tokens; cheaper than counting them. */
  exceedsTokens(item: Item, count: number): boolean;
  /** The item's original text, decoded. */
  textOf(item: Item): string;
}
