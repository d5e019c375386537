import type { Digest } from "../model/item.ts";
import type { PurgeSelection, Removed } from "../model/store.ts";
import { type Memory, type MemoryLineage, type MemoryTenant, tenantIn } from "./memory-state.ts";
import { entryWithoutText, type Forgettable } from "./references.ts";

interface Burial {
  readonly state: "expired" | "purged";
  readonly atMs: number;
}

/** Removes what no put and no commit of a referring lineage touched since `beforeMs`, in every tenant. */
export function sweepMemory(memory: Memory, beforeMs: number, atMs: number): Removed {
  let originals = 0;
  let bytes = 0;
  for (const tenant of memory.tenants.values()) {
    const removed = bury(memory, tenant, { digests: quietDigests(tenant, beforeMs), state: "expired", atMs });
    originals += removed.originals;
    bytes += removed.bytes;
  }
  return { originals, bytes };
}

interface Purge {
  readonly tenant: string;
  readonly selection: PurgeSelection;
  readonly atMs: number;
}

/** Removes what the user chose; originals that another session refers to stay. */
export function purgeMemory(memory: Memory, { tenant: name, selection, atMs }: Purge): Removed {
  const tenant = tenantIn(memory, name);
  const burial: Burial = { state: "purged", atMs };
  if (selection.kind === "before") {
    return bury(memory, tenant, { digests: quietDigests(tenant, selection.atMs), ...burial });
  }
  const lineages = [...tenant.lineages.values()];
  const isChosen = (lineage: MemoryLineage) => selection.kind === "all" || lineage.sessionId === selection.sessionId;
  const digests = selection.kind === "all" ? [...tenant.owned.keys()] : digestsOfAlone(tenant, lineages, isChosen);
  const removed = bury(memory, tenant, { digests, ...burial });
  for (const lineage of lineages.filter(isChosen)) {
    forget(lineage, (item) => !item.isStored);
    lineage.references.clear();
  }
  return removed;
}

function digestsOfAlone(
  tenant: MemoryTenant,
  lineages: readonly MemoryLineage[],
  isChosen: (lineage: MemoryLineage) => boolean,
): readonly Digest[] {
  const chosen = new Set<Digest>();
  for (const lineage of lineages.filter(isChosen)) for (const digest of lineage.references) chosen.add(digest);
  for (const lineage of lineages) {
    if (isChosen(lineage)) continue;
    for (const digest of lineage.references) chosen.delete(digest);
  }
  return [...chosen].filter((digest) => tenant.owned.has(digest));
}

function quietDigests(tenant: MemoryTenant, beforeMs: number): readonly Digest[] {
  const live = new Set<Digest>();
  for (const lineage of tenant.lineages.values()) {
    if (lineage.lastAtMs < beforeMs) continue;
    for (const digest of lineage.references) live.add(digest);
  }
  return [...tenant.owned].filter(([digest, atMs]) => atMs < beforeMs && !live.has(digest)).map(([digest]) => digest);
}

function bury(
  memory: Memory,
  tenant: MemoryTenant,
  { digests, state, atMs }: Burial & { readonly digests: readonly Digest[] },
): Removed {
  let bytes = 0;
  for (const digest of digests) {
    const size = memory.originals.get(digest)?.length ?? 0;
    bytes += size;
    tenant.owned.delete(digest);
    tenant.tombstones.set(digest, { state, atMs });
    const isOwned = [...memory.tenants.values()].some((other) => other.owned.has(digest));
    if (isOwned) continue;
    memory.originals.delete(digest);
    memory.storedBytes -= size;
  }
  const removed = new Set(digests);
  for (const lineage of tenant.lineages.values()) forget(lineage, (item) => removed.has(item.digest));
  return { originals: digests.length, bytes };
}

function forget(lineage: MemoryLineage, isForgotten: (original: Forgettable) => boolean): void {
  for (const [index, record] of lineage.records.entries()) {
    lineage.records[index] = { ...record, entry: entryWithoutText(record.entry, isForgotten) };
  }
}
