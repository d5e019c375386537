import type { Digest } from "./item.ts";
import type { ItemRecord, LedgerEntry, LedgerRecord } from "./ledger.ts";

/** An original to keep: content-addressed by SHA-256 of `bytes`. */
export interface Original {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

export type StoredOriginal =
  | { readonly state: "present"; readonly bytes: Uint8Array }
  /** A tombstone: removed by retention or by the user, at `atMs` Unix time. */
  | { readonly state: "expired" | "purged"; readonly atMs: number }
  /** Stored bytes that do not match their digest. */
  | { readonly state: "corrupt" }
  | { readonly state: "unknown" };

/** The longest known chain of item keys: `position` items are shared with `lineage`. */
export interface ChainMatch {
  readonly lineage: string;
  readonly position: number;
}

/** A lineage whose ledger tells of asides at an anchor. */
export interface Anchored {
  readonly anchor: string;
  readonly lineage: string;
}

/** One request's writes: applied together or not at all. */
export interface Commit {
  readonly tenant: string;
  readonly lineage: string;
  /** The lineage's last `seq` as the writer knows it; 0 for a new lineage. */
  readonly expectedSeq: number;
  readonly atMs: number;
  readonly entries: readonly LedgerEntry[];
  /** Chain hashes by item position (1 = after the first item), for positions not stored yet. */
  readonly chain: readonly { readonly position: number; readonly hash: string }[];
  /** Originals to keep with the same durability; already known digests are skipped. */
  readonly originals: readonly Original[];
}

export type CommitOutcome =
  | { readonly ok: true; readonly seq: number }
  /** Another writer was first; reload and plan again. Nothing was written. */
  | { readonly ok: false; readonly kind: "conflict"; readonly seq: number }
  /** The disk cap would be passed by the originals. Nothing was written. */
  | { readonly ok: false; readonly kind: "full"; readonly bytesMax: number };

/** An item found by address or call id, in the lineage that acquired it first. */
export interface FoundItem {
  readonly item: ItemRecord;
  readonly lineage: string;
  readonly sessionId: string | null;
  readonly acquiredAtMs: number;
}

export interface LineageSummary {
  readonly lineage: string;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly lastAtMs: number;
  /** Of its last entry. */
  readonly seq: number;
}

/** What to purge: by session, by age of the last reference, or everything of the tenant. */
export type PurgeSelection =
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "before"; readonly atMs: number }
  | { readonly kind: "all" };

export interface Removed {
  readonly originals: number;
  readonly bytes: number;
}

export interface StoreSize {
  readonly originals: number;
  /** Bytes on disk (or in memory) taken by originals, as stored. */
  readonly storedBytes: number;
  readonly originalBytes: number;
  readonly lineages: number;
  readonly entries: number;
}

/**
 * Originals and ledgers. Every promise that resolves means durable; every rejection is an `EbbError` (`store_…`) and means nothing
 * was written. A digest alone opens nothing: all look-ups are within a tenant.
 */
export interface Store {
  readonly name: string;
  /** The deepest position of `chain` (hashes in order, position 1 first) that any lineage of the tenant has. Ties: the newest. */
  findChain(tenant: string, chain: readonly string[], preferSessionId: string | null): Promise<ChainMatch | null>;
  /** Lineages whose ledgers tell of asides with these anchors, each pair once. */
  findAnchored(tenant: string, anchors: readonly string[]): Promise<readonly Anchored[]>;
  /** Ledger in order; empty for an unknown lineage. */
  loadLineage(tenant: string, lineage: string): Promise<readonly LedgerRecord[]>;
  commit(commit: Commit): Promise<CommitOutcome>;
  /** Idempotent. `false`: refused by the disk cap, nothing was written. */
  putOriginals(tenant: string, originals: readonly Original[], atMs: number): Promise<boolean>;
  /** Verified against its digest on every read. */
  getOriginal(tenant: string, digest: Digest): Promise<StoredOriginal>;
  /** By address or call id; several when a call id is ambiguous. */
  findItems(tenant: string, id: string): Promise<readonly FoundItem[]>;
  /** Newest first. */
  listLineages(tenant: string, limit: number): Promise<readonly LineageSummary[]>;
  /** Removes originals whose last reference is older than `beforeMs`, of every tenant; leaves tombstones. */
  sweep(beforeMs: number, atMs: number): Promise<Removed>;
  purge(tenant: string, selection: PurgeSelection, atMs: number): Promise<Removed>;
  size(): Promise<StoreSize>;
  /** Problems found, in words; empty when sound. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}
