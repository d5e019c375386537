import type { LedgerEntry } from "../model/ledger.ts";
import type { LineageSummary, Store } from "../model/store.ts";
import { NO_CONVERSATION } from "./no-conversation.ts";
import type { OrderContext, Targets } from "./order.ts";
import { type Refusal, refused } from "./order-refusal.ts";

const LISTED_MAX = 200;
const NAMED_MAX = 10;
const ANCESTORS_MAX = 16;

/** The one conversation an order is about: its own where that is known, else the only one that holds what it names. */
export async function lineageNamed(
  { ids }: Pick<Targets, "ids">,
  { tenant, lineage, sessionId }: OrderContext,
  store: Store,
): Promise<string | Refusal> {
  if (lineage !== null) {
    const [first] = await store.loadLineage(tenant, lineage);
    return first === undefined ? refused("unknown id", "the conversation of this order is not in the store") : lineage;
  }
  const [id] = ids;
  const listed = await store.listLineages(tenant, LISTED_MAX);
  return id === undefined
    ? onlyMain(listed, sessionId, tenant, store)
    : onlyHolder(id, listed, sessionId, tenant, store);
}

async function onlyMain(
  listed: readonly LineageSummary[],
  sessionId: string | null,
  tenant: string,
  store: Store,
): Promise<string | Refusal> {
  const sessions = new Set(listed.filter((one) => sessionId === null || one.sessionId === sessionId).map(sessionOf));
  const mains = new Map<string | null, string>();
  for (const session of sessions) {
    const main = await mainLineageOf(session, listed, tenant, store);
    if (main !== null) mains.set(session, main);
  }
  const words = listed.length === 0 ? NO_CONVERSATION : "no conversation is known by that name";
  return only(mains) ?? refused("unknown id", words);
}

/** A session's conversation: of its lineages that hold anything the one used last, sub-agents apart; null where it has none. */
export async function mainLineageOf(
  sessionId: string | null,
  listed: readonly LineageSummary[],
  tenant: string,
  store: Store,
): Promise<string | null> {
  const own = listed.filter((one) => one.sessionId === sessionId && one.agentId === null);
  let newest: { readonly lineage: string; readonly atMs: number } | null = null;
  for (const { lineage, lastAtMs } of own) {
    if (newest !== null && lastAtMs < newest.atMs) break;
    const records = await store.loadLineage(tenant, lineage);
    // The client's own compaction goes on with a conversation before anything new is acquired.
    if (!records.some(({ entry }) => entry.type === "item-acquired" || entry.type === "client-folded")) continue;
    // An order about an older history, or a recall, is no sign that the conversation went on there.
    const atMs = records.findLast(({ entry }) => entry.type === "request-sent")?.atMs ?? 0;
    if (newest === null || atMs > newest.atMs) newest = { lineage, atMs };
  }
  return newest?.lineage ?? own[0]?.lineage ?? null;
}

/** True where the conversation went on, by a rewind or the client's compaction, in a later history that continues this one. */
export async function isLeftBehind(lineage: string, tenant: string, store: Store): Promise<boolean> {
  const listed = await store.listLineages(tenant, LISTED_MAX);
  const summary = listed.find((one) => one.lineage === lineage);
  if (summary === undefined || summary.agentId !== null) return false;
  let at = await mainLineageOf(summary.sessionId, listed, tenant, store);
  if (at === lineage) return false;
  for (let steps = 0; at !== null && at !== lineage && steps < ANCESTORS_MAX; steps++) {
    const opening: LedgerEntry | undefined = (await store.loadLineage(tenant, at))[0]?.entry;
    at = opening?.type === "lineage-opened" ? (opening.parent?.lineage ?? null) : null;
  }
  return at === lineage;
}

async function onlyHolder(
  id: string,
  listed: readonly LineageSummary[],
  sessionId: string | null,
  tenant: string,
  store: Store,
): Promise<string | Refusal> {
  const found = await store.findItems(tenant, id);
  const shown = JSON.stringify(id.slice(0, 80));
  const [first] = found;
  if (first === undefined) return refused("unknown id", `no item has the address or call id ${shown}`);
  const keys = new Set(found.map(({ item }) => item.key));
  const holders = new Map<string | null, string>();
  for (const one of mainsFirst(listed)) {
    if (holders.has(one.sessionId) || (sessionId !== null && one.sessionId !== sessionId)) continue;
    if (await holdsOneOf(keys, one.lineage, tenant, store)) holders.set(one.sessionId, one.lineage);
  }
  if (sessionId !== null && holders.size === 0) {
    return refused("belongs to another session", `${shown} was acquired in another session`);
  }
  return only(holders) ?? first.lineage;
}

/** The first few of several sessions; one that no client named cannot be named here either, and says so. */
export function sessionNames(sessions: Iterable<string | null>): string {
  return Array.from(sessions, (name) => name ?? "one without a session id")
    .slice(0, NAMED_MAX)
    .join(", ");
}

/** Null where there is none. Several are never chosen from. */
function only(bySession: ReadonlyMap<string | null, string>): string | Refusal | null {
  if (bySession.size <= 1) return bySession.values().next().value ?? null;
  return refused(
    "ambiguous session",
    `${bySession.size} conversations hold what the order names: ${sessionNames(bySession.keys())}; name one with its session id`,
  );
}

function mainsFirst(listed: readonly LineageSummary[]): readonly LineageSummary[] {
  return [...listed.filter(({ agentId }) => agentId === null), ...listed.filter(({ agentId }) => agentId !== null)];
}

async function holdsOneOf(keys: ReadonlySet<string>, lineage: string, tenant: string, store: Store): Promise<boolean> {
  const records = await store.loadLineage(tenant, lineage);
  return records.some(({ entry }) => entry.type === "item-acquired" && keys.has(entry.item.key));
}

function sessionOf({ sessionId }: LineageSummary): string | null {
  return sessionId;
}
