import type { Database } from "better-sqlite3";
import { assert } from "../lib/assert.ts";

const DIGEST_PATTERN = /^[0-9a-f]{64}$/;
const CHAIN_PATTERN = /^[0-9a-f]{32,}$/;
const CHAIN_BYTES = 16;

/** A digest as its 32 bytes; null for text that is none. */
export function digestBytes(digest: string): Buffer | null {
  return DIGEST_PATTERN.test(digest) ? Buffer.from(digest, "hex") : null;
}

/** A digest that our own code made, as its 32 bytes. */
export function ownDigestBytes(digest: string): Buffer {
  const bytes = digestBytes(digest);
  assert(bytes !== null, "a digest is 64 lower-case hexadecimal characters");
  return bytes;
}

/** The first 16 bytes of a chain hash: enough to tell histories of one tenant apart. */
export function chainBytes(hash: string): Buffer {
  assert(CHAIN_PATTERN.test(hash), "a chain hash is at least 32 lower-case hexadecimal characters");
  return Buffer.from(hash.slice(0, CHAIN_BYTES * 2), "hex");
}

/** The ids of tenants by name. */
export interface TenantRows {
  /** Null for a tenant that never wrote. */
  find(tenant: string): number | null;
  /** Creates the tenant; inside a transaction only. */
  ensure(tenant: string): number;
}

/** The tenants of an open database; a name is known from its first write on. */
export function createTenantRows(database: Database): TenantRows {
  const select = database.prepare<[string], { id: number }>("SELECT id FROM tenants WHERE name = ?");
  const insert = database.prepare<[string]>("INSERT INTO tenants (name) VALUES (?)");
  const find = (tenant: string) => select.get(tenant)?.id ?? null;
  return { find, ensure: (tenant) => find(tenant) ?? Number(insert.run(tenant).lastInsertRowid) };
}
