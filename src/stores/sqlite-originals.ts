import type { Database } from "better-sqlite3";
import { assert } from "../lib/assert.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Digest } from "../model/item.ts";
import type { Original, StoredOriginal } from "../model/store.ts";
import { decodeOriginal, type EncodedOriginal, encodeOriginal } from "./original-encoding.ts";
import { digestBytes, ownDigestBytes } from "./sqlite-rows.ts";

/** An original ready to be written: verified against its digest, and compressed where the store lacks it. */
export interface PreparedOriginal {
  readonly digest: Buffer;
  readonly byteCount: number;
  readonly encoded: EncodedOriginal;
}

interface OriginalRow {
  readonly encoding: string;
  readonly byte_count: number;
  readonly bytes: Buffer;
}

/** The originals' tables. */
export interface OriginalRows {
  /** Verifies and compresses; touches no row. Fails on a wrong digest. */
  prepare(originals: readonly Original[]): Promise<readonly PreparedOriginal[]>;
  /** True when what is new among them would pass the cap on stored bytes. Nothing new never does. */
  areOverCap(originals: readonly PreparedOriginal[]): boolean;
  /** Inside a transaction. What is known already keeps its bytes and gains this owner. */
  put(tenantId: number, originals: readonly PreparedOriginal[], atMs: number): void;
  /** A tombstone speaks only where the tenant owns nothing now. */
  get(tenantId: number, digest: Digest): StoredOriginal;
}

/** The originals of an open database, their statements prepared once. */
export function createOriginalRows(database: Database, bytesMax: number | null): OriginalRows {
  const isKnown = database.prepare<[Buffer]>("SELECT 1 FROM originals WHERE digest = ?").pluck();
  const storedBytes = database.prepare<[], number>("SELECT stored_count FROM totals").pluck();
  const insert = database.prepare<[Buffer, string, number, number, Uint8Array]>(
    `INSERT INTO originals (digest, encoding, byte_count, stored_count, bytes) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const count = database.prepare<[number, number]>(
    "UPDATE totals SET originals = originals + 1, byte_count = byte_count + ?, stored_count = stored_count + ?",
  );
  const own = database.prepare<[number, Buffer, number]>(
    `INSERT INTO owners (tenant_id, digest, put_at_ms) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET put_at_ms = max(put_at_ms, excluded.put_at_ms)`,
  );
  const select = database.prepare<[number, Buffer], OriginalRow>(
    `SELECT encoding, byte_count, bytes FROM owners JOIN originals USING (digest)
     WHERE owners.tenant_id = ? AND owners.digest = ?`,
  );
  const tombstone = database.prepare<[number, Buffer], { state: "expired" | "purged"; at_ms: number }>(
    "SELECT state, at_ms FROM tombstones WHERE tenant_id = ? AND digest = ?",
  );

  const areOverCap = (originals: readonly PreparedOriginal[]): boolean => {
    if (bytesMax === null) return false;
    const added = new Map<string, number>();
    for (const original of originals) {
      if (isKnown.get(original.digest) !== undefined) continue;
      added.set(original.digest.toString("latin1"), original.encoded.bytes.length);
    }
    if (added.size === 0) return false;
    let total = storedBytes.get() ?? 0;
    for (const bytes of added.values()) total += bytes;
    return total > bytesMax;
  };

  return {
    prepare: (originals) =>
      Promise.all(
        originals.map((original) => prepareOriginal(original, (digest) => isKnown.get(digest) !== undefined)),
      ),
    areOverCap,
    put(tenantId, originals, atMs) {
      for (const { digest, byteCount, encoded } of originals) {
        const stored = encoded.bytes.length;
        const isNew = insert.run(digest, encoded.encoding, byteCount, stored, encoded.bytes).changes > 0;
        if (isNew) count.run(byteCount, stored);
        own.run(tenantId, digest, atMs);
      }
    },
    get(tenantId, digest) {
      const key = digestBytes(digest);
      if (key === null) return { state: "unknown" };
      const row = select.get(tenantId, key);
      if (row !== undefined) return verified(row, digest);
      const buried = tombstone.get(tenantId, key);
      return buried === undefined ? { state: "unknown" } : { state: buried.state, atMs: buried.at_ms };
    },
  };
}

/** An original that the store has already is not compressed again: its bytes stand by for the case that it is removed meanwhile. */
async function prepareOriginal(original: Original, isKnown: (digest: Buffer) => boolean): Promise<PreparedOriginal> {
  assert(sha256Hex(original.bytes) === original.digest, "an original's digest is that of its bytes");
  const digest = ownDigestBytes(original.digest);
  const encoded: EncodedOriginal = isKnown(digest)
    ? { encoding: "raw", bytes: original.bytes }
    : await encodeOriginal(original.bytes);
  return { digest, byteCount: original.bytes.length, encoded };
}

function verified(row: OriginalRow, digest: Digest): StoredOriginal {
  const bytes = decodeOriginal(row.encoding, row.bytes, row.byte_count);
  if (bytes === null || sha256Hex(bytes) !== digest) return { state: "corrupt" };
  return { state: "present", bytes };
}
