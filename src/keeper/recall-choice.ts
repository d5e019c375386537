import type { FoundItem, Store } from "../model/store.ts";
import type { RecallAnswer, RecallFailure, RecallQuery } from "./contract.ts";

const LISTED_MAX = 200;

/** The one item a query names, within its session where it states one; else why there is none. */
export async function chooseItem(query: RecallQuery, store: Store): Promise<FoundItem | RecallAnswer> {
  const found = await store.findItems(query.tenant, query.id);
  if (found.length === 0) {
    return failure("unknown id", `no item has the address or call id ${JSON.stringify(query.id.slice(0, 80))}`);
  }
  const own = query.sessionId === null ? found : await ofSession(found, query.sessionId, query.tenant, store);
  if (own.length === 0) return failure("belongs to another session", `${query.id} was acquired in another session`);
  const results = own.filter((one) => one.item.kind === "result");
  const candidates = results.length > 0 ? results : own;
  const [first] = candidates;
  const keys = new Set(candidates.map((one) => one.item.key));
  if (first === undefined || keys.size > 1) {
    const addresses = candidates.map((one) => one.item.address).join(", ");
    return failure("ambiguous session", `${query.id} names ${keys.size} items: ${addresses}`);
  }
  return first;
}

/** The store names the lineage that acquired an item first; a session that resumed another acquired it as well. */
async function ofSession(
  found: readonly FoundItem[],
  sessionId: string,
  tenant: string,
  store: Store,
): Promise<readonly FoundItem[]> {
  const own = found.filter((one) => one.sessionId === sessionId);
  if (own.length > 0) return own;
  const acquired = new Set<string>();
  for (const { lineage, sessionId: name } of await store.listLineages(tenant, LISTED_MAX)) {
    if (name !== sessionId) continue;
    for (const { entry } of await store.loadLineage(tenant, lineage)) {
      if (entry.type === "item-acquired") acquired.add(entry.item.key);
    }
  }
  return found.filter((one) => acquired.has(one.item.key));
}

/** A failure as an answer. */
export function failure(name: RecallFailure, words: string): RecallAnswer & { readonly ok: false } {
  return { ok: false, failure: name, words };
}
