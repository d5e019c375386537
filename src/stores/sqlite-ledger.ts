import type { Database } from "better-sqlite3";
import { EbbError } from "../lib/ebb-error.ts";
import type { ItemRecord, LedgerEntry, LedgerRecord } from "../model/ledger.ts";
import type { Commit, FoundItem, LineageSummary } from "../model/store.ts";
import { decodeEntry, encodeEntry } from "./entry-encoding.ts";
import { anchorOf, referencesOf } from "./references.ts";
import { chainBytes, ownDigestBytes } from "./sqlite-rows.ts";

/** A lineage's row: its id and the last `seq` written. */
export interface LineageRow {
  readonly id: number;
  readonly seq: number;
}

interface FoundRow {
  readonly body: string;
  readonly at_ms: number;
  readonly name: string;
  readonly session_id: string | null;
}

interface SummaryRow {
  readonly name: string;
  readonly session_id: string | null;
  readonly agent_id: string | null;
  readonly last_at_ms: number;
  readonly seq: number;
}

/** Ledgers of all lineages, and the index of the items they acquired. */
export interface LedgerRows {
  find(tenantId: number, lineage: string): LineageRow | null;
  load(tenantId: number, lineage: string): readonly LedgerRecord[];
  /** Inside a transaction: appends the entries and returns the lineage with its new `seq`. */
  append(tenantId: number, row: LineageRow | null, commit: Commit): LineageRow;
  findItems(tenantId: number, id: string): readonly FoundItem[];
  list(tenantId: number, limit: number): readonly LineageSummary[];
}

/** One look-up in each index: an OR over both would scan the table. Exported for the test that reads its query plan. */
export const FIND_ITEMS = `
  SELECT entries.body, entries.at_ms, lineages.name, lineages.session_id FROM (
    SELECT lineage_id, seq FROM items WHERE tenant_id = @tenantId AND address = @id
    UNION SELECT lineage_id, seq FROM items WHERE tenant_id = @tenantId AND call_id = @id) AS found
  JOIN entries ON entries.lineage_id = found.lineage_id AND entries.seq = found.seq
  JOIN lineages ON lineages.id = found.lineage_id
  ORDER BY entries.at_ms, found.lineage_id, found.seq`;

/** The ledger tables of an open database, their statements prepared once. */
export function createLedgerRows(database: Database): LedgerRows {
  const findLineage = database.prepare<[number, string], LineageRow>(
    "SELECT id, seq FROM lineages WHERE tenant_id = ? AND name = ?",
  );
  const open = database.prepare<[number, string, number]>(
    "INSERT INTO lineages (tenant_id, name, seq, last_at_ms) VALUES (?, ?, 0, ?)",
  );
  const advance = database.prepare<[number, number, number]>(
    "UPDATE lineages SET seq = ?, last_at_ms = max(last_at_ms, ?) WHERE id = ?",
  );
  const load = database.prepare<[number, string], { seq: number; at_ms: number; body: string }>(
    `SELECT entries.seq, entries.at_ms, entries.body FROM lineages JOIN entries ON entries.lineage_id = lineages.id
     WHERE lineages.tenant_id = ? AND lineages.name = ? ORDER BY entries.seq`,
  );
  const appendEntry = database.prepare<[number, number, number, string]>(
    "INSERT INTO entries (lineage_id, seq, at_ms, body) VALUES (?, ?, ?, ?)",
  );
  const findItems = database.prepare<[object], FoundRow>(FIND_ITEMS);
  const list = database.prepare<[number, number], SummaryRow>(
    `SELECT name, session_id, agent_id, last_at_ms, seq FROM lineages
     WHERE tenant_id = ? ORDER BY last_at_ms DESC, id DESC LIMIT ?`,
  );
  const indexEntry = createEntryIndex(database);

  return {
    find: (tenantId, lineage) => findLineage.get(tenantId, lineage) ?? null,
    load: (tenantId, lineage) =>
      load.all(tenantId, lineage).map((row) => ({ seq: row.seq, atMs: row.at_ms, entry: decodeEntry(row.body) })),
    append(tenantId, row, commit) {
      const id = row?.id ?? Number(open.run(tenantId, commit.lineage, commit.atMs).lastInsertRowid);
      let seq = row?.seq ?? 0;
      for (const entry of commit.entries) {
        seq++;
        appendEntry.run(id, seq, commit.atMs, encodeEntry(entry));
        indexEntry({ tenantId, lineageId: id, seq, entry });
      }
      advance.run(seq, commit.atMs, id);
      return { id, seq };
    },
    findItems: (tenantId, id) => findItems.all({ tenantId, id }).map(toFoundItem),
    list: (tenantId, limit) => list.all(tenantId, limit).map(toSummary),
  };
}

interface PlacedEntry {
  readonly tenantId: number;
  readonly lineageId: number;
  readonly seq: number;
  readonly entry: LedgerEntry;
}

/** Keeps what look-ups need beside the entries themselves: items, sessions, anchors and references. */
function createEntryIndex(database: Database): (placed: PlacedEntry) => void {
  const name = database.prepare<[string | null, string | null, number]>(
    "UPDATE lineages SET session_id = ?, agent_id = ? WHERE id = ?",
  );
  const addItem = database.prepare<[number, string, string, string | null, Buffer, number, number]>(
    `INSERT INTO items (tenant_id, key, address, call_id, digest, lineage_id, seq)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const refer = database.prepare<[Buffer, number, number]>(
    "INSERT INTO lineage_references (digest, lineage_id, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const referByAddress = database.prepare<[number, number, number, string]>(
    `INSERT INTO lineage_references (digest, lineage_id, seq)
     SELECT digest, ?, ? FROM items WHERE tenant_id = ? AND address = ? ON CONFLICT DO NOTHING`,
  );
  const addAnchor = database.prepare<[number, Buffer, number]>(
    "INSERT INTO anchors (tenant_id, anchor, lineage_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  return ({ tenantId, lineageId, seq, entry }) => {
    if (entry.type === "lineage-opened") name.run(entry.sessionId, entry.agentId, lineageId);
    if (entry.type === "item-acquired") {
      const { key, address, callId, digest } = entry.item;
      addItem.run(tenantId, key, address, callId, ownDigestBytes(digest), lineageId, seq);
    }
    const anchor = anchorOf(entry);
    if (anchor !== null) addAnchor.run(tenantId, chainBytes(anchor), lineageId);
    const { digests, addresses } = referencesOf(entry);
    for (const digest of digests) refer.run(ownDigestBytes(digest), lineageId, seq);
    for (const address of addresses) referByAddress.run(lineageId, seq, tenantId, address);
  };
}

function toFoundItem(row: FoundRow): FoundItem {
  return { item: itemOf(decodeEntry(row.body)), lineage: row.name, sessionId: row.session_id, acquiredAtMs: row.at_ms };
}

function itemOf(entry: LedgerEntry): ItemRecord {
  if (entry.type !== "item-acquired") throw new EbbError("store_corrupt", "the store's index of items is damaged");
  return entry.item;
}

function toSummary(row: SummaryRow): LineageSummary {
  return {
    lineage: row.name,
    sessionId: row.session_id,
    agentId: row.agent_id,
    lastAtMs: row.last_at_ms,
    seq: row.seq,
  };
}
