import type { ItemRecord, LedgerRecord } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import type { OrderAnswer, OrderContext, OrderFailure, Targets } from "./order.ts";

/** The lineage an order is about, and the items it names there. */
export interface Aim {
  readonly lineage: string;
  readonly items: readonly ItemRecord[];
}

export type Aimed = Aim | Extract<OrderAnswer, { ok: false }>;

const LISTED_MAX = 200;
const ANCESTORS_MAX = 16;

/** Finds what an order names. Nothing is guessed: several conversations that fit make the order ambiguous. */
export async function aimAt(targets: Targets, context: OrderContext, store: Store): Promise<Aimed> {
  if (targets.ids.length === 0 && targets.paths.length === 0 && targets.latest === null) {
    return refused("bad order", "an order names items by ids, by paths or as the latest ones; this one names none");
  }
  const lineages = await candidatesOf(targets, context, store);
  if ("ok" in lineages) return lineages;
  const [lineage, other] = lineages;
  if (lineage === undefined) return refused("unknown id", "no conversation holds what the order names");
  if (other !== undefined)
    return refused(
      "ambiguous session",
      `${lineages.length} conversations hold what the order names; name one with its session id`,
    );
  return itemsIn(lineage, targets, context, store);
}

/** Items a lineage acquired or took over, oldest first, the last record of each. */
export async function itemsOf(tenant: string, lineage: string, store: Store): Promise<readonly ItemRecord[]> {
  const items = new Map<string, ItemRecord>();
  for (const records of (await ancestry(tenant, lineage, store)).toReversed()) {
    for (const { entry } of records) if (entry.type === "item-acquired") items.set(entry.item.key, entry.item);
  }
  return Array.from(items.values());
}

async function ancestry(tenant: string, lineage: string, store: Store): Promise<readonly (readonly LedgerRecord[])[]> {
  const all: (readonly LedgerRecord[])[] = [];
  let next: string | null = lineage;
  while (next !== null && all.length < ANCESTORS_MAX) {
    const records: readonly LedgerRecord[] = await store.loadLineage(tenant, next);
    all.push(records);
    const opening = records[0]?.entry;
    next = opening?.type === "lineage-opened" ? (opening.parent?.lineage ?? null) : null;
  }
  return all;
}

/** Conversations of a session are told by their newest lineage with items; ids narrow them to those that hold them. */
async function candidatesOf(
  targets: Targets,
  { tenant, sessionId }: OrderContext,
  store: Store,
): Promise<readonly string[] | Extract<OrderAnswer, { ok: false }>> {
  const listed = await store.listLineages(tenant, LISTED_MAX);
  const [id] = targets.ids;
  if (id !== undefined) {
    const found = await store.findItems(tenant, id);
    if (found.length === 0)
      return refused("unknown id", `no item has the address or call id ${JSON.stringify(id.slice(0, 80))}`);
    const sessions = new Set(found.map((one) => one.sessionId));
    const own = sessionId === null ? sessions : new Set(sessions.has(sessionId) ? [sessionId] : []);
    if (own.size === 0) return refused("belongs to another session", `${id} was acquired in another session`);
    if (own.size > 1) return refused("ambiguous session", `${id} was acquired in ${own.size} sessions`);
    const [only = null] = own;
    if (only === null) return [found[0]?.lineage ?? ""];
    return newestWith(listed, only, found[0]?.item.key ?? "", tenant, store);
  }
  if (sessionId !== null) {
    const newest = listed.find((one) => one.sessionId === sessionId && one.agentId === null);
    return newest === undefined ? [] : [newest.lineage];
  }
  const sessions = new Set(listed.map((one) => one.sessionId));
  return sessions.size === 1 ? [listed[0]?.lineage ?? ""] : Array.from(sessions, String);
}

async function newestWith(
  listed: readonly { readonly lineage: string; readonly sessionId: string | null }[],
  sessionId: string,
  key: string,
  tenant: string,
  store: Store,
): Promise<readonly string[]> {
  for (const { lineage, sessionId: name } of listed) {
    if (name !== sessionId) continue;
    const items = await itemsOf(tenant, lineage, store);
    if (items.some((item) => item.key === key)) return [lineage];
  }
  return [];
}

async function itemsIn(lineage: string, targets: Targets, { tenant }: OrderContext, store: Store): Promise<Aimed> {
  const all = await itemsOf(tenant, lineage, store);
  const chosen: ItemRecord[] = [];
  for (const id of targets.ids) {
    const item = all.find((one) => one.address === id) ?? all.find((one) => one.callId === id && one.kind === "result");
    if (item === undefined)
      return refused("unknown id", `this conversation holds no item ${JSON.stringify(id.slice(0, 80))}`);
    chosen.push(item);
  }
  for (const path of targets.paths) {
    const items = all.filter((one) => one.label.path === path);
    if (items.length === 0)
      return refused("unknown id", `this conversation holds nothing of ${JSON.stringify(path.slice(0, 200))}`);
    chosen.push(...items);
  }
  if (targets.latest !== null) chosen.push(...all.slice(-targets.latest));
  return { lineage, items: Array.from(new Set(chosen)) };
}

/** A refusal as an answer. */
export function refused(failure: OrderFailure, words: string): Extract<OrderAnswer, { ok: false }> {
  return { ok: false, failure, words };
}
