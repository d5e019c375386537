import type { FoundItem, Store } from "../model/store.ts";
import type { RecallAnswer, RecallFailure, RecallQuery } from "./contract.ts";
import { historiesOf } from "./recall-history.ts";

const LISTED_MAX = 200;
/** Ledgers that are searched for a call without a result, the newest first. */
const SEARCHED_MAX = 32;

/** The one item a query names, within its session where it states one; else why there is none. */
export async function chooseItem(query: RecallQuery, store: Store): Promise<FoundItem | RecallAnswer> {
  const found = await store.findItems(query.tenant, query.id);
  if (found.length === 0) return await nothingFound(query, store);
  const own = query.sessionId === null ? found : await ofSession(found, query.sessionId, query.tenant, store);
  if (own.length === 0) return failure("belongs to another session", `${query.id} was acquired in another session`);
  const results = own.filter((one) => one.item.kind === "result");
  const texts = results.filter((one) => one.item.bytes > 0);
  // A call that brought nothing but attachments means these.
  const media = texts.length > 0 ? [] : own.filter((one) => one.item.kind === "media");
  const named = [texts, media, results].find((some) => some.length > 0) ?? own;
  const candidates = await ofLineage(named, query, store);
  const [first] = candidates;
  const keys = new Set(candidates.map((one) => one.item.key));
  if (first === undefined || keys.size > 1) {
    const addresses = candidates.map((one) => one.item.address).join(", ");
    return failure("ambiguous session", `${query.id} names ${keys.size} items: ${addresses}`);
  }
  return first;
}

/** A call that some response made, and whose result no request brought, is known all the same. */
async function nothingFound({ tenant, id }: RecallQuery, store: Store): Promise<RecallAnswer> {
  const name = JSON.stringify(id.slice(0, 80));
  for (const { lineage } of await store.listLineages(tenant, SEARCHED_MAX)) {
    for (const { entry } of await store.loadLineage(tenant, lineage)) {
      if (entry.type === "response-seen" && entry.calls.some((call) => call.id === id)) {
        return failure("not a finished result", `the call ${name} was made, and no request has brought its result`);
      }
    }
  }
  return failure("unknown id", `no item has the address or call id ${name}`);
}

/** The store names the lineage that acquired an item first; a session that continued another acquired it as well. */
async function ofSession(
  found: readonly FoundItem[],
  sessionId: string,
  tenant: string,
  store: Store,
): Promise<readonly FoundItem[]> {
  const own = found.filter((one) => one.sessionId === sessionId);
  if (own.length > 0) return own;
  const listed = (await store.listLineages(tenant, LISTED_MAX)).filter((one) => one.sessionId === sessionId);
  return acquiredIn(
    found,
    listed.map(({ lineage }) => lineage),
    tenant,
    store,
  );
}

/** Of several items of one call id those that the asking lineage knows, where it knows any. */
async function ofLineage(
  candidates: readonly FoundItem[],
  { tenant, lineage = null }: RecallQuery,
  store: Store,
): Promise<readonly FoundItem[]> {
  if (lineage === null || candidates.length < 2) return candidates;
  const own = await acquiredIn(candidates, [lineage], tenant, store);
  return own.length > 0 ? own : candidates;
}

/** What these lineages acquired, or those they continue, by a client's compaction too. */
async function acquiredIn(
  found: readonly FoundItem[],
  lineages: readonly string[],
  tenant: string,
  store: Store,
): Promise<readonly FoundItem[]> {
  const acquired = new Set<string>();
  for (const { records } of await historiesOf(tenant, lineages, store)) {
    for (const { entry } of records) if (entry.type === "item-acquired") acquired.add(entry.item.key);
  }
  return found.filter((one) => acquired.has(one.item.key));
}

/** A failure as an answer. */
export function failure(name: RecallFailure, words: string): RecallAnswer & { readonly ok: false } {
  return { ok: false, failure: name, words };
}
