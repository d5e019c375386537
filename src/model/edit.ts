import type { ItemKey } from "./item.ts";

/** One change on the wire, anchored by item key. */
export interface Edit {
  readonly kind: "replace";
  readonly itemKey: ItemKey;
  /** Text that stands in the item's place, before JSON escaping. */
  readonly text: string;
}

/** The pinned edits of a lineage, replayed in order on every later request. */
export type Script = readonly Edit[];
