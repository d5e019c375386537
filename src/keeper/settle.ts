import { foldLedger } from "../engine/standing.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { addressOf } from "../lib/hash.ts";
import type { Decision } from "../model/decision.ts";
import type { Digest, Item, ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { WireSource } from "../model/ports.ts";
import type { Original, Store } from "../model/store.ts";
import type { View } from "../model/view.ts";
import type { Draft, DraftInput } from "./draft.ts";
import { newItemRecords } from "./item-records.ts";
import { recordsOf } from "./lineage.ts";
import type { KeeperSettings } from "./settings.ts";

/** How a draft was recorded. */
export type Settled =
  | { readonly kind: "recorded"; readonly acquired: number }
  /** Another writer was first. Nothing was written. */
  | { readonly kind: "conflict" }
  /** These originals cannot be kept, so their items must be held. Nothing was decided. */
  | { readonly kind: "unstorable"; readonly keys: readonly ItemKey[] };

/** Ledger entries waiting in memory while the store refuses; beyond, the lineage starts anew in the store. */
const PENDING_MAX = 20_000;

/**
 * Makes a draft durable: originals first, read back, then the ledger. Throws `EbbError` when the store fails; then no
 * decision of the draft may act.
 */
export async function settleDraft(
  input: DraftInput,
  draft: Draft,
  requestId: string,
  settings: KeeperSettings,
): Promise<Settled> {
  const acting = settings.mode === "enforce" ? draft.fresh : [];
  const refused = await keepOriginals(input, acting, settings.store);
  if (refused.length > 0) return { kind: "unstorable", keys: refused };
  const { lineage } = input.placement;
  const entries = entriesOf(input, draft, acting, requestId, settings);
  const outcome = await settings.store.commit({
    tenant: lineage.tenant,
    lineage: lineage.id,
    expectedSeq: lineage.seq,
    atMs: input.request.atMs,
    entries: [...lineage.pending, ...entries],
    chain: chainRows(input),
    originals: [],
  });
  if (!outcome.ok) {
    if (outcome.kind === "conflict") return { kind: "conflict" };
    throw new EbbError("store_full", `the store's cap of ${outcome.bytesMax} bytes is reached`);
  }
  remember(input, entries);
  lineage.seq = outcome.seq;
  lineage.pending = [];
  lineage.chainStored = input.understood.chain.hashes.length;
  for (const decision of acting) lineage.stored.add(decision.originalDigest);
  return { kind: "recorded", acquired: entries.filter((entry) => entry.type === "item-acquired").length };
}

/** Keeps in memory what the store did not take, without any new decision, so that the lineage can go on. */
export function rememberUnrecorded(
  input: DraftInput,
  draft: Draft | null,
  requestId: string,
  settings: KeeperSettings,
): void {
  const entries =
    draft === null
      ? [requestSent(input, requestId, null)]
      : entriesOf(input, { ...draft, restored: [] }, [], requestId, settings);
  const { lineage } = input.placement;
  remember(input, entries);
  if (lineage.pending.length < PENDING_MAX) lineage.pending = [...lineage.pending, ...entries];
}

function remember(input: DraftInput, entries: readonly LedgerEntry[]): void {
  const { lineage } = input.placement;
  lineage.standing = foldLedger(lineage.standing, recordsOf(entries, lineage.standing.seq, input.request.atMs));
  lineage.chain = input.understood.chain;
  for (const entry of entries) {
    if (entry.type === "item-acquired" && !entry.item.isStored) lineage.unstorable.add(entry.item.key);
  }
}

function entriesOf(
  input: DraftInput,
  draft: Draft,
  acting: readonly Decision[],
  requestId: string,
  settings: KeeperSettings,
): readonly LedgerEntry[] {
  const { acquired } = input.placement.lineage.standing;
  const items = newItemRecords(draft.view, acquired, settings.isNeverStored);
  return [
    ...items.map((item) => ({ type: "item-acquired", item }) as const),
    ...expiries(draft, input),
    ...acting.map((decision) => ({ type: "item-released", decision }) as const),
    ...(settings.mode === "enforce" ? draft.restored : []).map(
      (restoration) => ({ type: "item-restored", restoration }) as const,
    ),
    requestSent(input, requestId, draft),
  ];
}

/** Lifetimes that this request found over; once recorded they stay over. */
function expiries({ view }: Draft, { placement, source }: DraftInput): readonly LedgerEntry[] {
  const { expired } = placement.lineage.standing.deliberate;
  return source.transcript.items.flatMap(({ key }): readonly LedgerEntry[] => {
    const words = view.expiryOf(key);
    if (words === null || expired.has(key)) return [];
    return [{ type: "item-expired", itemKey: key, address: addressOf(key), words }];
  });
}

function requestSent(input: DraftInput, requestId: string, draft: Draft | null): LedgerEntry {
  const { header } = input.source.transcript;
  const { standing } = input.placement.lineage;
  return {
    type: "request-sent",
    requestId,
    model: header.model,
    cacheKey: header.cacheKey,
    cacheTtlMs: header.cacheTtlMs,
    itemCount: input.understood.chain.keys.length,
    turn: draft?.clock.turn ?? standing.turnsBefore + input.understood.observations.turns,
    step: draft?.clock.step ?? standing.stepsBefore + input.understood.observations.steps,
    isBound: draft !== null && isBound(draft.view),
  };
}

function isBound({ model, transcript }: View): boolean {
  return model.thinkingBinding !== "none" && transcript.items.some((item) => item.kind === "thinking");
}

function chainRows(input: DraftInput): readonly { readonly position: number; readonly hash: string }[] {
  const { hashes } = input.understood.chain;
  const rows: { position: number; hash: string }[] = [];
  for (let index = input.placement.lineage.chainStored; index < hashes.length; index++) {
    const hash = hashes[index];
    if (hash !== undefined) rows.push({ position: index + 1, hash });
  }
  return rows;
}

/** Stores and reads back the originals of new decisions; the keys of those that cannot be kept. */
async function keepOriginals(
  input: DraftInput,
  acting: readonly Decision[],
  store: Store,
): Promise<readonly ItemKey[]> {
  if (acting.length === 0) return [];
  const originals = originalsOf(input.source, new Set(acting.map((decision) => decision.itemKey)));
  const { tenant } = input.placement.lineage;
  // At the disk cap nothing is added; what the store has already may leave all the same.
  await store.putOriginals(tenant, originals, input.request.atMs);
  const refused: ItemKey[] = [];
  for (const decision of acting) {
    const stored = await store.getOriginal(tenant, decision.originalDigest);
    if (stored.state !== "present") refused.push(decision.itemKey);
  }
  return refused;
}

function originalsOf(source: WireSource, keys: ReadonlySet<ItemKey>): readonly Original[] {
  const originals = new Map<Digest, Original>();
  for (const item of source.transcript.items) {
    if (keys.has(item.key)) originals.set(item.digest, originalOf(source, item));
  }
  return Array.from(originals.values());
}

function originalOf(source: WireSource, item: Item): Original {
  return { digest: item.digest, bytes: source.originalOf(item) };
}
