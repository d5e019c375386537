import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { LineageSummary } from "../model/store.ts";
import type { Wish } from "../model/wish.ts";
import { carriersOf } from "./carriers.ts";
import type { DecisionDesk } from "./decide.ts";
import type { Order, OrderAnswer, OrderContext } from "./order.ts";
import { wishEntries } from "./order-entries.ts";
import { refused } from "./order-refusal.ts";
import { itemsOf } from "./order-targets.ts";
import { type WhenGround, whenOf } from "./order-when.ts";
import { reportOfScope } from "./report.ts";
import { historyOf } from "./report-history.ts";
import { leavingWith } from "./working-set.ts";

const LISTED_MAX = 200;

/**
 * Closes an open scope, once, lets go of its working set and reports on it; several conversations with a scope of that name are
 * never chosen from.
 */
export async function closeScope(
  { scope: name, reason }: Extract<Order, { verb: "close" }>,
  context: OrderContext,
  desk: DecisionDesk,
): Promise<OrderAnswer> {
  const shown = JSON.stringify(name.slice(0, 80));
  const holders = await holdersOf(name, context, desk);
  const open = holders.filter(({ standing }) => standing.deliberate.scopes.get(name)?.isClosed === false);
  const [holder, other] = open;
  if (other !== undefined) {
    return refused(
      "ambiguous session",
      `${open.length} conversations have an open scope ${shown}; name one with its session id`,
    );
  }
  if (holder === undefined) {
    return refused(
      "bad order",
      holders.length > 0 ? `${name} is closed already` : `no conversation has a scope ${shown}`,
    );
  }
  const { lineage, standing } = holder;
  const { turn, step } = standing.clock;
  const load = (id: string) => desk.store.loadLineage(context.tenant, id);
  const history = await historyOf(lineage, load);
  const all = await itemsOf(context.tenant, lineage, desk.store);
  const items = leavingWith(name, all, { history, standing });
  const motive = { reason: `${name} closed: ${reason}`, by: context.by };
  await desk.append(
    lineage,
    [{ type: "scope-closed", name, turn, step }, ...wishEntries(items, LET_GO, motive)],
    context,
  );
  const report = await reportOfScope(name, lineage, context, desk);
  const records = history.at(-1)?.records ?? [];
  return {
    ok: true,
    lineage,
    addresses: items.map(({ address }) => address),
    words: closingWords(name, items, { standing, records, isLeftBehind: false, carriers: carriersOf(all), ...desk }),
    ...(report === null ? {} : { report }),
  };
}

const LET_GO: Wish = { kind: "release" };

function closingWords(name: string, items: readonly ItemRecord[], ground: WhenGround): string {
  const groups = new Map<string, string[]>();
  for (const item of items) {
    const when = whenOf(item, LET_GO, null, ground);
    if (when.state !== "done") groups.set(when.words, [...(groups.get(when.words) ?? []), item.address]);
  }
  const leaving = Array.from(groups, ([words, names]) => `${names.join(", ")} let go; ${words}`);
  return [`${name} is closed`, ...leaving].join(". ");
}

interface Holder {
  readonly lineage: string;
  readonly standing: LineageStanding;
}

/** Of each conversation the newest history that knows the scope. */
async function holdersOf(
  name: string,
  { tenant, lineage: own, sessionId }: OrderContext,
  { store }: DecisionDesk,
): Promise<readonly Holder[]> {
  const lineages = own === null ? await store.listLineages(tenant, LISTED_MAX) : [{ lineage: own }];
  const holders = new Map<string, Holder>();
  for (const one of lineages) {
    if ("sessionId" in one && sessionId !== null && one.sessionId !== sessionId) continue;
    const conversation = "sessionId" in one ? conversationOf(one) : one.lineage;
    if (holders.has(conversation)) continue;
    const standing = foldLedger(EMPTY_STANDING, await store.loadLineage(tenant, one.lineage));
    if (standing.deliberate.scopes.has(name)) holders.set(conversation, { lineage: one.lineage, standing });
  }
  return Array.from(holders.values());
}

function conversationOf({ sessionId, agentId }: LineageSummary): string {
  return JSON.stringify([sessionId, agentId]);
}
