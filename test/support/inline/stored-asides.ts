import type { AsideBlocks } from "../../../src/model/aside.ts";
import type { Store } from "../../../src/model/store.ts";

/** An aside as a store holds it: the ids of its calls, and what is put in. */
export interface StoredAside {
  readonly ids: readonly string[];
  readonly blocks: AsideBlocks;
}

/** Every aside that any ledger of the store holds. */
export async function asidesIn(store: Store): Promise<readonly StoredAside[]> {
  const digests = new Set<string>();
  for (const { lineage } of await store.listLineages("local", 1_000)) {
    for (const { entry } of await store.loadLineage("local", lineage)) {
      if (entry.type === "aside-pinned") digests.add(entry.aside.digest);
    }
  }
  const asides: StoredAside[] = [];
  for (const digest of digests) {
    const original = await store.getOriginal("local", digest);
    if (original.state !== "present") continue;
    const blocks: AsideBlocks = JSON.parse(Buffer.from(original.bytes).toString());
    asides.push({ blocks, ids: blocks.calls.map((json) => JSON.parse(json).id) });
  }
  return asides;
}
