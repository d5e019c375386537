import type { Database } from "better-sqlite3";
import type { ChainMatch, Commit } from "../model/store.ts";
import { deepestKnown } from "./chain-search.ts";
import { chainBytes } from "./sqlite-rows.ts";

/** Which history stands where: chain hashes of all lineages of a tenant. */
export interface ChainRows {
  find(tenantId: number, chain: readonly string[], preferSessionId: string | null): ChainMatch | null;
  /** Inside a transaction. */
  put(tenantId: number, lineageId: number, chain: Commit["chain"]): void;
}

/** The chain table of an open database, its statements prepared once. */
export function createChainRows(database: Database): ChainRows {
  const isKnown = database
    .prepare<[number, Buffer]>("SELECT 1 FROM chains WHERE tenant_id = ? AND hash = ? LIMIT 1")
    .pluck();
  const holder = database
    .prepare<[number, Buffer, string | null], string>(
      `SELECT lineages.name FROM chains JOIN lineages ON lineages.id = chains.lineage_id
       WHERE chains.tenant_id = ? AND chains.hash = ?
       ORDER BY coalesce(lineages.session_id = ?, 0) DESC, lineages.last_at_ms DESC, lineages.id DESC LIMIT 1`,
    )
    .pluck();
  const insert = database.prepare<[number, Buffer, number, number]>(
    "INSERT INTO chains (tenant_id, hash, lineage_id, position) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  return {
    find(tenantId, chain, preferSessionId) {
      const hashAt = (position: number) => chainBytes(chain[position - 1] ?? "");
      const position = deepestKnown(chain.length, (at) => isKnown.get(tenantId, hashAt(at)) !== undefined);
      if (position === 0) return null;
      const lineage = holder.get(tenantId, hashAt(position), preferSessionId);
      return lineage === undefined ? null : { lineage, position };
    },
    put(tenantId, lineageId, chain) {
      for (const { position, hash } of chain) insert.run(tenantId, chainBytes(hash), lineageId, position);
    },
  };
}
