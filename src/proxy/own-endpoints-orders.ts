import type { OrderContext } from "../keeper/order.ts";
import { type OrderVerb, readOrder } from "../keeper/order-input.ts";
import type { Answer, Desk, Exchange } from "./exchange.ts";
import { failed, json } from "./own-endpoints-answer.ts";
import { readJsonBody } from "./own-endpoints-body.ts";

/** Paths of orders, and the verb of each. */
export const ORDER_PATHS: ReadonlyMap<string, OrderVerb> = new Map([
  ["/keep", "keep"],
  ["/release", "release"],
  ["/hold", "hold"],
  ["/protect", "protect"],
]);

/** Records the order in a request's body, as the user's. */
export async function serveOrder(desk: Desk, exchange: Exchange, verb: OrderVerb): Promise<Answer> {
  const body = await readJsonBody(exchange.request);
  if (!body.ok) return failed("bad order", body.words, body.status);
  const given = readOrder(verb, body.value);
  if (!given.ok) return failed("bad order", given.words);
  const { order, session } = given.value;
  const answered = await desk.keeper.decide(order, contextOf(desk, exchange, session));
  if (!answered.ok) return failed(answered.failure, answered.words);
  const { ok: _, ...told } = answered;
  return json(200, told);
}

/** The user, in the session that is named, if one is. */
export function contextOf(desk: Desk, { atMs }: Exchange, sessionId: string | null): OrderContext {
  return { tenant: desk.tenant, lineage: null, sessionId, by: "user", atMs };
}
