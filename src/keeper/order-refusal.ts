import type { OrderAnswer, OrderFailure } from "./order.ts";

/** An answer that nothing was recorded. */
export type Refusal = Extract<OrderAnswer, { ok: false }>;

/** A refusal as an answer. */
export function refused(failure: OrderFailure, words: string): Refusal {
  return { ok: false, failure, words };
}
