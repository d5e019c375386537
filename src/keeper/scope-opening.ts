import { EMPTY_STANDING, foldLedger } from "../engine/standing.ts";
import type { DecisionDesk } from "./decide.ts";
import type { Order, OrderAnswer, OrderContext } from "./order.ts";
import { declarationEntries, untilOf } from "./order-entries.ts";
import { lineageNamed } from "./order-lineage.ts";

type Hold = Extract<Order, { verb: "hold" }>;

/** True for a hold with a scope and nothing to hold yet. */
export function opensScope(order: Order): order is Hold {
  if (order.verb !== "hold" || order.lifetime.kind !== "scope") return false;
  const { ids, paths, latest } = order.targets;
  return ids.length === 0 && paths.length === 0 && latest === null;
}

/** Opens a scope, whose working set is what the conversation acquires from now on. Open already: it stays as it is. */
export async function openScope(order: Hold, context: OrderContext, desk: DecisionDesk): Promise<OrderAnswer> {
  const lineage = await lineageNamed({ ids: [] }, context, desk.store);
  if (typeof lineage !== "string") return lineage;
  const records = await desk.store.loadLineage(context.tenant, lineage);
  const standing = foldLedger(EMPTY_STANDING, records);
  const until = untilOf(order.lifetime, { standing, records });
  if (!("kind" in until)) return until;
  const aim = { lineage, standing, records, items: [], paths: [], isLeftBehind: false };
  const entries = declarationEntries("held", aim, until, { reason: order.reason, by: context.by });
  const name = until.kind === "scope" ? until.scope : "";
  if (entries.length === 0) return { ok: true, lineage, addresses: [], words: `${name} is open already` };
  await desk.append(lineage, entries, context);
  const words = `${name} is open: what this conversation acquires from now on is its working set, until it is closed`;
  return { ok: true, lineage, addresses: [], words };
}
