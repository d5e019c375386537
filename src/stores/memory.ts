import { assert } from "../lib/assert.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { ItemRecord, LedgerEntry } from "../model/ledger.ts";
import type { Anchored, Commit, CommitOutcome, FoundItem, Original, Store, StoredOriginal } from "../model/store.ts";
import { deepestKnown } from "./chain-search.ts";
import { purgeMemory, sweepMemory } from "./memory-removal.ts";
import {
  createMemory,
  lineageIn,
  type Memory,
  type MemoryLineage,
  type MemoryTenant,
  recordAt,
  tenantIn,
} from "./memory-state.ts";
import { anchorOf, referencesOf } from "./references.ts";

export interface MemoryStoreOptions {
  /** Most bytes originals may take; no cap when absent. */
  readonly bytesMax?: number;
}

/** A store that lasts as long as its process: for tests and replay. It keeps copies of what it is given. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const memory = createMemory(options.bytesMax ?? null);
  let isOpen = true;
  const opened = (): Memory => {
    if (!isOpen) throw new EbbError("store_closed", "the store is closed");
    return memory;
  };
  return {
    name: "memory",
    findAnchored: async (tenant, anchors) => findAnchored(tenantIn(opened(), tenant), anchors),
    findChain: async (tenant, chain, preferSessionId) => findChain(tenantIn(opened(), tenant), chain, preferSessionId),
    loadLineage: async (tenant, lineage) => [...(tenantIn(opened(), tenant).lineages.get(lineage)?.records ?? [])],
    commit: async (commit) => applyCommit(opened(), commit),
    putOriginals: async (tenant, originals, atMs) => putOriginals(opened(), { tenant, originals, atMs }),
    getOriginal: async (tenant, digest) => getOriginal(opened(), tenant, digest),
    findItems: async (tenant, id) => findItems(tenantIn(opened(), tenant), id),
    listLineages: async (tenant, limit) =>
      newestFirst([...tenantIn(opened(), tenant).lineages.values()])
        .slice(0, limit)
        .map(({ name, sessionId, agentId, lastAtMs, records }) => {
          return { lineage: name, sessionId, agentId, lastAtMs, seq: records.at(-1)?.seq ?? 0 };
        }),
    sweep: async (beforeMs, atMs) => sweepMemory(opened(), beforeMs, atMs),
    purge: async (tenant, selection, atMs) => purgeMemory(opened(), { tenant, selection, atMs }),
    size: async () => sizeOf(opened()),
    check: async () => problemsOf(opened()),
    close: async () => {
      isOpen = false;
    },
  };
}

function findChain(tenant: MemoryTenant, chain: readonly string[], preferSessionId: string | null) {
  const holdersAt = (position: number) => tenant.chains.get(chain[position - 1] ?? "");
  const position = deepestKnown(chain.length, (at) => holdersAt(at) !== undefined);
  const holders = newestFirst([...(holdersAt(position) ?? [])]);
  const preferred = holders.find((lineage) => preferSessionId !== null && lineage.sessionId === preferSessionId);
  const holder = preferred ?? holders[0];
  return holder === undefined ? null : { lineage: holder.name, position };
}

function findAnchored(tenant: MemoryTenant, anchors: readonly string[]): readonly Anchored[] {
  return Array.from(new Set(anchors)).flatMap((anchor) =>
    Array.from(tenant.anchors.get(anchor) ?? [], ({ name }) => ({ anchor, lineage: name })),
  );
}

function newestFirst(lineages: MemoryLineage[]): readonly MemoryLineage[] {
  return lineages.sort((left, right) => right.lastAtMs - left.lastAtMs || right.order - left.order);
}

function applyCommit(memory: Memory, commit: Commit): CommitOutcome {
  verifyDigests(commit.originals);
  const tenant = tenantIn(memory, commit.tenant);
  const known = tenant.lineages.get(commit.lineage);
  const seqBefore = known?.records.length ?? 0;
  const isNewButKnown = commit.expectedSeq === 0 && known !== undefined;
  if (seqBefore !== commit.expectedSeq || isNewButKnown) return { ok: false, kind: "conflict", seq: seqBefore };
  if (!putOriginals(memory, commit)) return { ok: false, kind: "full", bytesMax: memory.bytesMax ?? 0 };
  const lineage = lineageIn(memory, tenant, commit.lineage);
  lineage.lastAtMs = Math.max(lineage.lastAtMs, commit.atMs);
  for (const entry of commit.entries) {
    const seq = lineage.records.length + 1;
    lineage.records.push({ seq, atMs: commit.atMs, entry: structuredClone(entry) });
    indexEntry(tenant, lineage, { seq, entry });
  }
  for (const { hash } of commit.chain) {
    const holders = tenant.chains.get(hash) ?? new Set();
    tenant.chains.set(hash, holders.add(lineage));
  }
  return { ok: true, seq: lineage.records.length };
}

function indexEntry(
  tenant: MemoryTenant,
  lineage: MemoryLineage,
  placed: { readonly seq: number; readonly entry: LedgerEntry },
): void {
  const { seq, entry } = placed;
  if (entry.type === "lineage-opened") {
    lineage.sessionId = entry.sessionId;
    lineage.agentId = entry.agentId;
  }
  if (entry.type === "item-acquired") addItem(tenant, { item: entry.item, lineage, seq });
  const anchor = anchorOf(entry);
  if (anchor !== null) tenant.anchors.set(anchor, (tenant.anchors.get(anchor) ?? new Set()).add(lineage));
  const { digests, addresses } = referencesOf(entry);
  for (const digest of digests) lineage.references.add(digest);
  for (const address of addresses) {
    for (const item of tenant.itemsById.get(address) ?? []) lineage.references.add(item.digest);
  }
}

interface Acquired {
  readonly item: ItemRecord;
  readonly lineage: MemoryLineage;
  readonly seq: number;
}

function addItem(tenant: MemoryTenant, { item, lineage, seq }: Acquired): void {
  const { key, address, callId, digest } = item;
  if (tenant.items.has(key)) return;
  const placed = { address, callId, digest, lineage, seq };
  tenant.items.set(key, placed);
  for (const id of callId === null ? [address] : [address, callId]) {
    tenant.itemsById.set(id, (tenant.itemsById.get(id) ?? new Set()).add(placed));
  }
}

interface Put {
  readonly tenant: string;
  readonly originals: readonly Original[];
  readonly atMs: number;
}

function putOriginals(memory: Memory, { tenant, originals, atMs }: Put): boolean {
  verifyDigests(originals);
  const added = new Map(
    originals.filter(({ digest }) => !memory.originals.has(digest)).map((o) => [o.digest, o.bytes]),
  );
  let total = memory.storedBytes;
  for (const bytes of added.values()) total += bytes.length;
  if (memory.bytesMax !== null && added.size > 0 && total > memory.bytesMax) return false;
  memory.storedBytes = total;
  for (const [digest, bytes] of added) memory.originals.set(digest, Buffer.from(bytes));
  const { owned } = tenantIn(memory, tenant);
  for (const { digest } of originals) owned.set(digest, Math.max(owned.get(digest) ?? atMs, atMs));
  return true;
}

function verifyDigests(originals: readonly Original[]): void {
  for (const { digest, bytes } of originals) {
    assert(sha256Hex(bytes) === digest, "an original's digest is that of its bytes");
  }
}

function getOriginal(memory: Memory, tenantName: string, digest: string): StoredOriginal {
  const tenant = tenantIn(memory, tenantName);
  const bytes = tenant.owned.has(digest) ? memory.originals.get(digest) : undefined;
  if (bytes === undefined) return tenant.tombstones.get(digest) ?? { state: "unknown" };
  if (sha256Hex(bytes) !== digest) return { state: "corrupt" };
  return { state: "present", bytes: Buffer.from(bytes) };
}

function findItems(tenant: MemoryTenant, id: string): readonly FoundItem[] {
  const found: FoundItem[] = [];
  for (const { lineage, seq } of tenant.itemsById.get(id) ?? []) {
    const { atMs, entry } = recordAt(lineage, seq);
    assert(entry.type === "item-acquired", "an indexed item stands on its acquisition");
    found.push({ item: entry.item, lineage: lineage.name, sessionId: lineage.sessionId, acquiredAtMs: atMs });
  }
  return found.sort((left, right) => left.acquiredAtMs - right.acquiredAtMs);
}

function sizeOf(memory: Memory) {
  let entries = 0;
  let lineages = 0;
  for (const tenant of memory.tenants.values()) {
    lineages += tenant.lineages.size;
    for (const lineage of tenant.lineages.values()) entries += lineage.records.length;
  }
  const bytes = memory.storedBytes;
  return { originals: memory.originals.size, storedBytes: bytes, originalBytes: bytes, lineages, entries };
}

function problemsOf(memory: Memory): readonly string[] {
  return [...memory.originals]
    .filter(([digest, bytes]) => sha256Hex(bytes) !== digest)
    .map(([digest]) => `the original ${digest} does not match its digest`);
}
