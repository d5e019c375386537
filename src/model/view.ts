import type { PlacedAcquisition, ReadFact } from "./acquisition.ts";
import type { ModelFacts } from "./cache.ts";
import type { RecallChannel, Standing } from "./decision.ts";
import type { Item, ItemKey } from "./item.ts";
import type { Clock, Transcript } from "./transcript.ts";

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
  /** True when the provider's cache for this lineage has certainly expired. */
  readonly isCold: boolean;
  standingOf(key: ItemKey): Standing;
  exposureOf(item: Item): Exposure;
  /** True when a thinking block stands after the item: it was signed over the item. */
  isBeforeThinking(item: Item): boolean;
  /** True when a rule forbids keeping the item's original, or the store cannot take it. */
  isUnstorable(key: ItemKey): boolean;
  isProtected(key: ItemKey): boolean;
  /** Estimated tokens of the item's original. */
  tokensOf(item: Item): number;
  /** The item's original text, decoded. */
  textOf(item: Item): string;
}
