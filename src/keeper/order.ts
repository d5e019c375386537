import type { Address } from "../model/item.ts";
import type { Report } from "../model/report.ts";
import type { Actor } from "../model/wish.ts";

/** Which items an order is about: addresses or call ids, paths as the agent wrote them, or the newest ones. */
export interface Targets {
  readonly ids: readonly string[];
  readonly paths: readonly string[];
  readonly latest: number | null;
}

/** A lifetime as it is declared: turns or steps from now on (0 is this one), a scope by its name, or for good. */
export type Lifetime =
  | { readonly kind: "turns"; readonly turns: number }
  | { readonly kind: "steps"; readonly steps: number }
  | { readonly kind: "scope"; readonly scope: string }
  | { readonly kind: "forever" };

/** What the agent or the user decides about items of one lineage. Reasons are required and recorded. */
export type Order =
  | { readonly verb: "keep"; readonly id: string; readonly range: string | null; readonly reason: string }
  | { readonly verb: "release"; readonly targets: Targets; readonly reason: string }
  /** With a scope and no targets it opens the scope: what is acquired from then on is its working set. */
  | { readonly verb: "hold"; readonly targets: Targets; readonly lifetime: Lifetime; readonly reason: string }
  | { readonly verb: "unhold"; readonly targets: Targets; readonly reason: string }
  | { readonly verb: "protect"; readonly targets: Targets; readonly lifetime: Lifetime; readonly reason: string }
  | { readonly verb: "unprotect"; readonly targets: Targets; readonly reason: string }
  | { readonly verb: "close"; readonly scope: string; readonly reason: string };

/** Longest reason an order may have, in UTF-16 units. */
export const REASON_CHARS_MAX = 2_000;

/** Who orders, when, and in which conversation; where neither names it, it is found by what the order names. */
export interface OrderContext {
  readonly tenant: string;
  /** The lineage a tool call came from; null where it is not known. */
  readonly lineage: string | null;
  readonly sessionId: string | null;
  readonly by: Actor;
  readonly atMs: number;
}

export type OrderFailure =
  | "unknown id"
  | "belongs to another session"
  | "not a finished result"
  | "empty result"
  | "bad range"
  | "selects nothing"
  | "attachment cannot be sliced"
  | "ambiguous session"
  | "bad order"
  | "store unavailable";

/** An order that was recorded, and when it acts; or why it was not. */
export type OrderAnswer =
  | {
      readonly ok: true;
      readonly lineage: string;
      readonly addresses: readonly Address[];
      /** What was decided and when it acts, in words. */
      readonly words: string;
      /** Of a scope that was closed: what it acquired, what left and what changed. */
      readonly report?: Report;
    }
  | { readonly ok: false; readonly failure: OrderFailure; readonly words: string };
