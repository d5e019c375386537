import type { ItemKey } from "./item.ts";

/** One change on the wire, anchored by item key. A wire skips what its format cannot take. */
export type Edit =
  | {
      readonly kind: "replace";
      readonly itemKey: ItemKey;
      /** Text that stands in the item's place, before JSON escaping. */
      readonly text: string;
    }
  /** The item's block is left out. */
  | { readonly kind: "omit"; readonly itemKey: ItemKey }
  /** A cache breakpoint on the item's block, where it has none and can carry one. */
  | { readonly kind: "breakpoint"; readonly itemKey: ItemKey; readonly ttlMs: number }
  /** A text of its own behind the anchor's block and what else was put there, in the anchor's message. */
  | { readonly kind: "note"; readonly anchorKey: ItemKey; readonly text: string }
  /** The provider is asked to delete results from its own cache: the request is behind the anchor's block. */
  | { readonly kind: "delete"; readonly anchorKey: ItemKey; readonly resultKeys: readonly ItemKey[] }
  /** The provider is asked to clear old results by itself. */
  | { readonly kind: "server-clear"; readonly clear: ServerClear }
  /** The provider is asked to drop thinking that no longer fits what stands before it, instead of refusing the request. */
  | { readonly kind: "drop-thinking" };

/** What a provider is asked to clear by itself, oldest first. */
export interface ServerClear {
  /** Clears once the prompt has more tokens than this. */
  readonly triggerTokens: number;
  /** The newest tool uses that stay. */
  readonly keepUses: number;
  /** Clears nothing where it would clear less than this; null: any amount. */
  readonly clearTokensMin: number | null;
  /** Tools whose results stay. */
  readonly exceptTools: readonly string[];
}

/** The pinned edits of a lineage, replayed in order on every later request. */
export type Script = readonly Edit[];
