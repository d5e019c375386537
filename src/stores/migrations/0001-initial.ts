import type { Database } from "better-sqlite3";

/** Schema 1: originals with owners and tombstones, lineages with their ledger, items, chains and references (not live once their session was purged). */
export function migrateTo1(database: Database): void {
  database.exec(SCHEMA);
}

const SCHEMA = `
  CREATE TABLE tenants (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE originals (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    encoding TEXT NOT NULL,
    byte_count INTEGER NOT NULL,
    stored_count INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;

  CREATE TABLE totals (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    originals INTEGER NOT NULL,
    byte_count INTEGER NOT NULL,
    stored_count INTEGER NOT NULL
  ) STRICT;
  INSERT INTO totals VALUES (1, 0, 0, 0);

  CREATE TABLE owners (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    digest BLOB NOT NULL REFERENCES originals (digest),
    put_at_ms REAL NOT NULL,
    PRIMARY KEY (tenant_id, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX owners_by_digest ON owners (digest);

  CREATE TABLE tombstones (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    digest BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('expired', 'purged')),
    at_ms REAL NOT NULL,
    PRIMARY KEY (tenant_id, digest)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE lineages (
    id INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    name TEXT NOT NULL,
    session_id TEXT,
    agent_id TEXT,
    seq INTEGER NOT NULL,
    last_at_ms REAL NOT NULL,
    UNIQUE (tenant_id, name)
  ) STRICT;
  CREATE INDEX lineages_by_time ON lineages (tenant_id, last_at_ms);
  CREATE INDEX lineages_by_session ON lineages (tenant_id, session_id);

  CREATE TABLE entries (
    lineage_id INTEGER NOT NULL REFERENCES lineages (id),
    seq INTEGER NOT NULL,
    at_ms REAL NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (lineage_id, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE items (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    key TEXT NOT NULL,
    address TEXT NOT NULL,
    call_id TEXT,
    digest BLOB NOT NULL,
    lineage_id INTEGER NOT NULL REFERENCES lineages (id),
    seq INTEGER NOT NULL,
    PRIMARY KEY (key, tenant_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX items_by_address ON items (tenant_id, address);
  CREATE INDEX items_by_call ON items (tenant_id, call_id);

  CREATE TABLE chains (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    hash BLOB NOT NULL,
    lineage_id INTEGER NOT NULL REFERENCES lineages (id),
    position INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, hash, lineage_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE lineage_references (
    digest BLOB NOT NULL,
    lineage_id INTEGER NOT NULL REFERENCES lineages (id),
    seq INTEGER NOT NULL,
    is_live INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (digest, lineage_id, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX references_by_lineage ON lineage_references (lineage_id);
`;
