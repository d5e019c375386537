import type { Database } from "better-sqlite3";
import type { PurgeSelection, Removed } from "../model/store.ts";
import { decodeEntry, encodeEntry } from "./entry-encoding.ts";
import { entryWithoutText, type Forgettable } from "./references.ts";

/** Why and when an original leaves: what its tombstone says. */
export interface Burial {
  readonly state: "expired" | "purged";
  readonly atMs: number;
}

interface OwnedRow {
  readonly tenant_id: number;
  readonly digest: Buffer;
}

/** Where a sweep stands among the owned originals. */
export interface SweepCursor {
  readonly tenantId: number;
  readonly digest: Buffer;
}

/** Removal of originals. Every method runs inside a transaction of the caller. */
export interface RemovalRows {
  /**
   * One bounded step through the owned originals of all tenants from `cursor` on (null: the start): those whose last
   * reference is older than `beforeMs` are removed. `next` is null when the step was the last.
   */
  sweep(beforeMs: number, burial: Burial, cursor: SweepCursor | null): SweepStep;
  purge(tenantId: number, selection: PurgeSelection, burial: Burial): Removed;
}

export interface SweepStep {
  readonly removed: Removed;
  readonly next: SweepCursor | null;
}

/** Originals that one step of a sweep looks at: some tens of milliseconds when all of them leave. */
const SWEEP_STEP_ORIGINALS = 500;

/**
 * The last reference of an original is the newest of its own put and of the last commit of every lineage that refers to
 * it, computed here and kept nowhere.
 */
const QUIET = `owners.put_at_ms < @beforeMs AND NOT EXISTS (
  SELECT 1 FROM lineage_references JOIN lineages ON lineages.id = lineage_references.lineage_id
  WHERE lineage_references.digest = owners.digest AND lineages.tenant_id = owners.tenant_id
    AND lineage_references.is_live = 1 AND lineages.last_at_ms >= @beforeMs)`;

const OF_SESSION_ALONE = `digest IN (
  SELECT lineage_references.digest FROM lineages JOIN lineage_references ON lineage_references.lineage_id = lineages.id
  WHERE lineages.tenant_id = @tenantId AND lineages.session_id = @sessionId AND lineage_references.is_live = 1)
  AND NOT EXISTS (
  SELECT 1 FROM lineage_references JOIN lineages ON lineages.id = lineage_references.lineage_id
  WHERE lineage_references.digest = owners.digest AND lineages.tenant_id = @tenantId
    AND lineage_references.is_live = 1 AND lineages.session_id IS NOT @sessionId)`;

const SELECT = "SELECT tenant_id, digest FROM owners WHERE";

/** What removes originals from an open database, its statements prepared once. */
export function createRemovalRows(database: Database): RemovalRows {
  const step = database.prepare<[object], OwnedRow & { is_quiet: number }>(
    `SELECT tenant_id, digest, ${QUIET} AS is_quiet FROM owners
     WHERE (tenant_id, digest) > (@tenantId, @digest) ORDER BY tenant_id, digest LIMIT ${SWEEP_STEP_ORIGINALS}`,
  );
  const quietOfTenant = database.prepare<[object], OwnedRow>(`${SELECT} tenant_id = @tenantId AND ${QUIET}`);
  const ofSession = database.prepare<[object], OwnedRow>(`${SELECT} tenant_id = @tenantId AND ${OF_SESSION_ALONE}`);
  const ofTenant = database.prepare<[object], OwnedRow>(`${SELECT} tenant_id = @tenantId`);
  const lineagesOf = database
    .prepare<[object], number>(
      `SELECT id FROM lineages WHERE tenant_id = @tenantId AND (@sessionId IS NULL OR session_id = @sessionId)`,
    )
    .pluck();
  const unrefer = database.prepare<[number]>("UPDATE lineage_references SET is_live = 0 WHERE lineage_id = ?");
  const bury = createBurial(database);
  const forget = createForgetting(database);

  return {
    sweep(beforeMs, burial, cursor) {
      const { tenantId, digest } = cursor ?? { tenantId: 0, digest: Buffer.alloc(0) };
      const rows = step.all({ beforeMs, tenantId, digest });
      const quiet = rows.filter((row) => row.is_quiet === 1);
      forget.removed(quiet);
      const last = rows.length < SWEEP_STEP_ORIGINALS ? undefined : rows.at(-1);
      const next = last === undefined ? null : { tenantId: last.tenant_id, digest: last.digest };
      return { removed: bury(quiet, burial), next };
    },
    purge(tenantId, selection, burial) {
      if (selection.kind === "before") {
        const rows = quietOfTenant.all({ tenantId, beforeMs: selection.atMs });
        forget.removed(rows);
        return bury(rows, burial);
      }
      const sessionId = selection.kind === "session" ? selection.sessionId : null;
      const rows = sessionId === null ? ofTenant.all({ tenantId }) : ofSession.all({ tenantId, sessionId });
      forget.removed(rows);
      for (const lineageId of lineagesOf.all({ tenantId, sessionId })) {
        forget.unstored(lineageId);
        unrefer.run(lineageId);
      }
      return bury(rows, burial);
    },
  };
}

function createBurial(database: Database): (rows: readonly OwnedRow[], burial: Burial) => Removed {
  const disown = database.prepare<[number, Buffer]>("DELETE FROM owners WHERE tenant_id = ? AND digest = ?");
  const mark = database.prepare<[number, Buffer, string, number]>(
    `INSERT INTO tombstones (tenant_id, digest, state, at_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = excluded.state, at_ms = excluded.at_ms`,
  );
  const sizeOf = database.prepare<[Buffer], { byte_count: number; stored_count: number }>(
    "SELECT byte_count, stored_count FROM originals WHERE digest = ?",
  );
  const isOwned = database.prepare<[Buffer]>("SELECT 1 FROM owners WHERE digest = ? LIMIT 1").pluck();
  const remove = database.prepare<[Buffer]>("DELETE FROM originals WHERE digest = ?");
  const discount = database.prepare<[number, number]>(
    "UPDATE totals SET originals = originals - 1, byte_count = byte_count - ?, stored_count = stored_count - ?",
  );
  return (rows, burial) => {
    let bytes = 0;
    for (const { tenant_id, digest } of rows) {
      const size = sizeOf.get(digest) ?? { byte_count: 0, stored_count: 0 };
      bytes += size.byte_count;
      disown.run(tenant_id, digest);
      mark.run(tenant_id, digest, burial.state, burial.atMs);
      if (isOwned.get(digest) !== undefined) continue;
      remove.run(digest);
      discount.run(size.byte_count, size.stored_count);
    }
    return { originals: rows.length, bytes };
  };
}

interface EntryRow {
  readonly lineage_id: number;
  readonly seq: number;
  readonly body: string;
}

interface Forgetting {
  /** Takes the user's words out of acquisitions and changes whose original is about to be removed. */
  removed(rows: readonly OwnedRow[]): void;
  /** The same for what one lineage names without an original. */
  unstored(lineageId: number): void;
}

function createForgetting(database: Database): Forgetting {
  const referring = database.prepare<[Buffer, number], EntryRow>(
    `SELECT entries.lineage_id, entries.seq, entries.body FROM lineage_references
     JOIN lineages ON lineages.id = lineage_references.lineage_id
     JOIN entries ON entries.lineage_id = lineages.id AND entries.seq = lineage_references.seq
     WHERE lineage_references.digest = ? AND lineages.tenant_id = ?`,
  );
  const acquisitions = database.prepare<[number], EntryRow>(
    `SELECT lineage_id, seq, body FROM entries
     WHERE lineage_id = ? AND (instr(body, '"item-acquired"') > 0 OR instr(body, '"change-seen"') > 0
       OR instr(body, '"path-held"') > 0 OR instr(body, '"path-protected"') > 0)`,
  );
  const rewrite = database.prepare<[string, number, number]>(
    "UPDATE entries SET body = ? WHERE lineage_id = ? AND seq = ?",
  );
  const forget = ({ lineage_id, seq, body }: EntryRow, isForgotten: (original: Forgettable) => boolean): void => {
    const after = encodeEntry(entryWithoutText(decodeEntry(body), isForgotten));
    if (after !== body) rewrite.run(after, lineage_id, seq);
  };
  return {
    removed(rows) {
      for (const { tenant_id, digest } of rows) {
        for (const entry of referring.all(digest, tenant_id)) forget(entry, () => true);
      }
    },
    unstored(lineageId) {
      for (const entry of acquisitions.all(lineageId)) forget(entry, (item) => !item.isStored);
    },
  };
}
