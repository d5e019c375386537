import type { Database } from "better-sqlite3";

/** Schema 2: which lineages tell of asides at which anchors. A ledger of schema 1 holds none. */
export function migrateTo2(database: Database): void {
  database.exec(SCHEMA);
}

const SCHEMA = `
  CREATE TABLE anchors (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    anchor BLOB NOT NULL,
    lineage_id INTEGER NOT NULL REFERENCES lineages (id),
    PRIMARY KEY (tenant_id, anchor, lineage_id)
  ) STRICT, WITHOUT ROWID;
`;
