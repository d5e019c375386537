import { ebbToolOf } from "../engine/recall-channel.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "../engine/standing.ts";
import { isAbsolutePath, resolvePath } from "../lib/paths.ts";
import type { ItemRecord, LedgerRecord } from "../model/ledger.ts";
import type { Store } from "../model/store.ts";
import type { OrderContext, Targets } from "./order.ts";
import { isLeftBehind, lineageNamed } from "./order-lineage.ts";
import { type Refusal, refused } from "./order-refusal.ts";

/** The conversation an order is about, and what it names there. */
export interface Aim {
  readonly lineage: string;
  readonly standing: LineageStanding;
  readonly records: readonly LedgerRecord[];
  readonly items: readonly ItemRecord[];
  /** True where no request holds the items any more, because the conversation went on without them. */
  readonly isLeftBehind: boolean;
  /** Paths the order is about as facts of their own, absolute where that is known. */
  readonly paths: readonly string[];
}

export type Aimed = Aim | Refusal;

const ANCESTORS_MAX = 16;

/**
 * Finds what an order names. Nothing is guessed: several conversations that fit make the order ambiguous, and an order
 * that came out of a conversation is about no other. `bindsPaths`: an absolute path may be named before anything of it is there.
 */
export async function aimAt(
  targets: Targets,
  context: OrderContext,
  store: Store,
  { bindsPaths }: { readonly bindsPaths: boolean },
): Promise<Aimed> {
  if (targets.ids.length === 0 && targets.paths.length === 0 && targets.latest === null) {
    return refused("bad order", "an order names items by ids, by paths or as the latest ones; this one names none");
  }
  if (targets.ids.some((id) => id.trim() === "")) {
    return refused("bad order", "an id is empty: expected an address or a call id");
  }
  if (targets.latest !== null && !(Number.isSafeInteger(targets.latest) && targets.latest >= 1)) {
    return refused("bad order", `latest: expected a whole number from 1, got ${targets.latest}`);
  }
  const lineage = await lineageNamed(targets, context, store);
  if (typeof lineage !== "string") return lineage;
  return namedIn(lineage, targets, context, store, bindsPaths);
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

async function namedIn(
  lineage: string,
  targets: Targets,
  { tenant }: OrderContext,
  store: Store,
  bindsPaths: boolean,
): Promise<Aimed> {
  const records = await store.loadLineage(tenant, lineage);
  const standing = foldLedger(EMPTY_STANDING, records);
  const all = await itemsOf(tenant, lineage, store);
  const chosen = new Set<ItemRecord>();
  for (const id of targets.ids) {
    const item = all.find((one) => one.address === id);
    const named = item === undefined ? all.filter((one) => one.callId === id) : [item];
    if (named.length === 0) return strange(id, tenant, store);
    for (const one of named) chosen.add(one);
  }
  const paths = new Set<string>();
  for (const path of targets.paths) {
    const absolute = resolvePath(path, null);
    const items = all.filter((one) => one.label.path === path || one.absolutePath === absolute);
    if (items.length === 0 && !(bindsPaths && isAbsolutePath(path))) {
      return refused("unknown id", nothingOf(path, bindsPaths));
    }
    for (const item of items) chosen.add(item);
    for (const { absolutePath, label } of items) paths.add(absolutePath ?? label.path ?? absolute);
    if (items.length === 0) paths.add(absolute);
  }
  const live = all.filter(({ key, label }) => standing.acquired.has(key) && !isReceipt(label.tool ?? ""));
  for (const item of targets.latest === null ? [] : live.slice(-targets.latest)) chosen.add(item);
  if (chosen.size === 0 && paths.size === 0) return refused("unknown id", "this conversation holds nothing yet");
  const isLeft = await isLeftBehind(lineage, tenant, store);
  return { lineage, standing, records, isLeftBehind: isLeft, items: Array.from(chosen), paths: Array.from(paths) };
}

/** What Ebb's own tools answer is not what an order means by the latest ones, but for text that was recalled. */
function isReceipt(tool: string): boolean {
  const own = ebbToolOf(tool);
  return own !== null && own !== "recall";
}

async function strange(id: string, tenant: string, store: Store): Promise<Refusal> {
  const shown = JSON.stringify(id.slice(0, 80));
  const found = await store.findItems(tenant, id);
  return found.length === 0
    ? refused("unknown id", `no item has the address or call id ${shown}`)
    : refused("belongs to another session", `${shown} was acquired in another conversation`);
}

function nothingOf(path: string, bindsPaths: boolean): string {
  const words = `this conversation holds nothing of ${JSON.stringify(path.slice(0, 200))}`;
  return bindsPaths ? `${words}; an absolute path may be named before it is read` : words;
}
