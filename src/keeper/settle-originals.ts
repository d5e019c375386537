import type { Decision } from "../model/decision.ts";
import type { Digest, ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import type { Original, Store, StoredOriginal } from "../model/store.ts";
import type { DraftInput } from "./draft.ts";

/** Items whose originals are not in the store as they came, and what is wrong where that is the store's fault. */
export interface Unkept {
  readonly keys: readonly ItemKey[];
  readonly faults: readonly string[];
}

/** Originals behind markers: none leaves before its own was read back. */
export interface Originals {
  /** Stores the originals of new decisions and reads them back. Throws `EbbError` when the store fails. */
  keep(input: DraftInput, decisions: readonly Decision[]): Promise<Unkept>;
  /**
   * Looks once for the original behind each marker sent before, and stores it again where it is gone without a tombstone.
   * Throws `EbbError` when the store fails.
   */
  keepSent(input: DraftInput, decisions: readonly Decision[]): Promise<Unkept>;
}

const NOTHING: Unkept = { keys: [], faults: [] };

/** Originals in a store of which nothing was read back yet. */
export function createOriginals(store: Store): Originals {
  const lookedFor = new WeakSet<Decision>();

  async function keep(input: DraftInput, decisions: readonly Decision[]): Promise<Unkept> {
    if (decisions.length === 0) return NOTHING;
    const originals = originalsOf(input.source, new Set(decisions.map(({ itemKey }) => itemKey)));
    const { tenant } = input.placement.lineage;
    // At the disk cap nothing is added; what the store has already may leave all the same.
    await store.putOriginals(tenant, Array.from(originals.values()), input.request.atMs);
    const keys: ItemKey[] = [];
    const faults: string[] = [];
    for (const decision of decisions) {
      const stored = await store.getOriginal(tenant, decision.originalDigest);
      if (isOriginal(stored, originals.get(decision.originalDigest))) lookedFor.add(decision);
      else keys.push(decision.itemKey);
      if (stored.state === "present" && !lookedFor.has(decision)) {
        faults.push(`recoverable: the store answers other bytes for ${decision.address}`);
      }
    }
    return { keys, faults };
  }

  return {
    keep,
    async keepSent(input, decisions) {
      const gone: Decision[] = [];
      const { tenant } = input.placement.lineage;
      for (const decision of decisions) {
        if (lookedFor.has(decision)) continue;
        const { state } = await store.getOriginal(tenant, decision.originalDigest);
        if (state === "unknown" || state === "corrupt") gone.push(decision);
        else lookedFor.add(decision);
      }
      const { keys } = await keep(input, gone);
      for (const decision of gone) lookedFor.add(decision);
      const lost = gone.filter(({ itemKey }) => keys.includes(itemKey));
      return { keys, faults: lost.map(({ address }) => `recoverable: the original of ${address} is not in the store`) };
    },
  };
}

function isOriginal(stored: StoredOriginal, original: Original | undefined): boolean {
  return stored.state === "present" && original !== undefined && Buffer.compare(stored.bytes, original.bytes) === 0;
}

function originalsOf(source: WireSource, keys: ReadonlySet<ItemKey>): ReadonlyMap<Digest, Original> {
  const originals = new Map<Digest, Original>();
  for (const item of source.transcript.items) {
    if (keys.has(item.key)) originals.set(item.digest, { digest: item.digest, bytes: source.originalOf(item) });
  }
  return originals;
}
