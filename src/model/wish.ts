import type { Address, ItemKey } from "./item.ts";

/** Lines of an original, 1-based inclusive as recall counts them; `to` null is to the end. */
export interface KeptRange {
  readonly from: number;
  readonly to: number | null;
}

/** What the agent or the user decided about one item. The last one counts; `whole` undoes the others. */
export type Wish =
  | { readonly kind: "release" }
  | { readonly kind: "keep"; readonly range: KeptRange }
  | { readonly kind: "whole" };

/**
 * How long a declaration lasts, resolved once to an absolute turn or step: it lasts while the clock is not past it. A
 * scope lasts until it is closed. `forever` takes an item out of the mechanism.
 */
export type Until =
  | { readonly kind: "forever" }
  | { readonly kind: "turn"; readonly turn: number }
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "scope"; readonly scope: string };

/** Who decided. */
export type Actor = "agent" | "user";

/** A wish as recorded. */
export interface RecordedWish {
  readonly itemKey: ItemKey;
  readonly address: Address;
  readonly wish: Wish;
  readonly reason: string;
  readonly by: Actor;
}

/** A declared lifetime, or a protection, as recorded. */
export interface Declaration {
  readonly itemKey: ItemKey;
  readonly address: Address;
  readonly until: Until;
  readonly reason: string;
  readonly by: Actor;
}

/** A declared lifetime, or a protection, of a path: it binds what is acquired of it while it lasts. */
export interface PathDeclaration {
  /** Absolute where that is known, else as the agent wrote it. */
  readonly path: string;
  readonly until: Until;
  readonly reason: string;
  readonly by: Actor;
}

/** A named span and what it holds. */
export interface Scope {
  readonly name: string;
  readonly reason: string;
  readonly openedTurn: number;
  readonly openedStep: number;
  readonly isClosed: boolean;
}
