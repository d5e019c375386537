import { assert } from "../lib/assert.ts";
import type { Address, Digest, ItemKey } from "../model/item.ts";
import type { LedgerRecord } from "../model/ledger.ts";

/** One lineage in memory. `order` counts lineages as they were created. */
export interface MemoryLineage {
  readonly name: string;
  readonly order: number;
  readonly records: LedgerRecord[];
  readonly references: Set<Digest>;
  sessionId: string | null;
  agentId: string | null;
  lastAtMs: number;
}

/** Where an item was acquired first; its record is read from the ledger there. */
export interface MemoryItem {
  readonly address: Address;
  readonly callId: string | null;
  readonly digest: Digest;
  readonly lineage: MemoryLineage;
  readonly seq: number;
}

export interface MemoryTenant {
  /** When each original was last put. */
  readonly owned: Map<Digest, number>;
  readonly tombstones: Map<Digest, { readonly state: "expired" | "purged"; readonly atMs: number }>;
  readonly lineages: Map<string, MemoryLineage>;
  readonly items: Map<ItemKey, MemoryItem>;
  /** The same items by address and by call id. */
  readonly itemsById: Map<string, Set<MemoryItem>>;
  readonly chains: Map<string, Set<MemoryLineage>>;
  /** Lineages that tell of asides, by anchor. */
  readonly anchors: Map<string, Set<MemoryLineage>>;
}

/** Everything a memory store holds. */
export interface Memory {
  readonly bytesMax: number | null;
  readonly tenants: Map<string, MemoryTenant>;
  readonly originals: Map<Digest, Uint8Array>;
  storedBytes: number;
  lineageCount: number;
}

/** An empty memory; `bytesMax` caps the originals' bytes. */
export function createMemory(bytesMax: number | null): Memory {
  return { bytesMax, tenants: new Map(), originals: new Map(), storedBytes: 0, lineageCount: 0 };
}

/** The tenant, created where absent. */
export function tenantIn(memory: Memory, name: string): MemoryTenant {
  const known = memory.tenants.get(name);
  if (known !== undefined) return known;
  const tenant = {
    owned: new Map(),
    tombstones: new Map(),
    lineages: new Map(),
    items: new Map(),
    itemsById: new Map(),
    chains: new Map(),
    anchors: new Map(),
  };
  memory.tenants.set(name, tenant);
  return tenant;
}

/** The lineage, created where absent. */
export function lineageIn(memory: Memory, tenant: MemoryTenant, name: string): MemoryLineage {
  const known = tenant.lineages.get(name);
  if (known !== undefined) return known;
  const lineage: MemoryLineage = {
    name,
    order: memory.lineageCount++,
    records: [],
    references: new Set(),
    sessionId: null,
    agentId: null,
    lastAtMs: 0,
  };
  tenant.lineages.set(name, lineage);
  return lineage;
}

/** The record with this `seq`. */
export function recordAt(lineage: MemoryLineage, seq: number): LedgerRecord {
  const record = lineage.records[seq - 1];
  assert(record !== undefined, "a ledger has no gaps");
  return record;
}
