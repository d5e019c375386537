import type { Keeper } from "../../src/keeper/contract.ts";
import type { Lifetime, Order, OrderAnswer, OrderContext, Targets } from "../../src/keeper/order.ts";

/** Orders as a test writes them, and who gives them. */
export const CONTEXT: OrderContext = { tenant: "local", lineage: null, sessionId: null, by: "agent", atMs: 2_000_000 };
export const NO_TARGETS: Targets = { ids: [], paths: [], latest: null };
/** Long enough that every marker is smaller. */
export const FILE = Array.from(
  { length: 120 },
  (_, line) => `const value${line} = compute(${line}, "some text");`,
).join("\n");
export const SUMMARY =
  "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAll is well.";

export function order(keeper: Keeper, given: Order, context: Partial<OrderContext> = {}): Promise<OrderAnswer> {
  return keeper.decide(given, { ...CONTEXT, ...context });
}

export function release(...ids: readonly string[]): Order {
  return { verb: "release", targets: { ...NO_TARGETS, ids }, reason: "done with it" };
}

export function keep(id: string, range: string | null): Order {
  return { verb: "keep", id, range, reason: "only these matter" };
}

export function declare(verb: "hold" | "protect", targets: Partial<Targets>, lifetime: Lifetime): Order {
  return { verb, targets: { ...NO_TARGETS, ...targets }, lifetime, reason: "in use" };
}

export function undeclare(verb: "unhold" | "unprotect", targets: Partial<Targets>): Order {
  return { verb, targets: { ...NO_TARGETS, ...targets }, reason: "over" };
}

export const FOREVER: Lifetime = { kind: "forever" };
export const steps = (count: number): Lifetime => ({ kind: "steps", steps: count });
export const turns = (count: number): Lifetime => ({ kind: "turns", turns: count });
export const scope = (name: string): Lifetime => ({ kind: "scope", scope: name });

/** The lineage a session's conversation has in the store now. */
export async function lineageOf(keeper: Keeper, sessionId: string | null = null): Promise<string> {
  const answer = await keeper.window({ ...CONTEXT, sessionId });
  if (!answer.ok) throw new Error(answer.words);
  return answer.lineage;
}
