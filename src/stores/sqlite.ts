import type { Database } from "better-sqlite3";
import { EbbError } from "../lib/ebb-error.ts";
import type { Commit, CommitOutcome, Original, Removed, Store, StoreSize } from "../model/store.ts";
import { type AnchorRows, createAnchorRows } from "./sqlite-anchors.ts";
import { type ChainRows, createChainRows } from "./sqlite-chains.ts";
import { checkDatabase } from "./sqlite-check.ts";
import { type OpenedDatabase, openDatabase } from "./sqlite-database.ts";
import { toStoreError } from "./sqlite-error.ts";
import { createLedgerRows, type LedgerRows } from "./sqlite-ledger.ts";
import { createOriginalRows, type OriginalRows, type PreparedOriginal } from "./sqlite-originals.ts";
import { createReclaim, nextTurn } from "./sqlite-reclaim.ts";
import { createRemovalRows, type RemovalRows, type SweepCursor, type SweepStep } from "./sqlite-removal.ts";
import { createTenantRows, type TenantRows } from "./sqlite-rows.ts";

/** A synchronous wait stalls every stream of the process, so the default is short. */
const BUSY_TIMEOUT_MS = 50;

export interface SqliteStoreOptions {
  /** Created where absent, with its folder, for the user alone. */
  readonly file: string;
  /** Most bytes originals may take as stored; no cap when absent. */
  readonly bytesMax?: number;
  /** How long a call may wait for another process, in milliseconds. */
  readonly busyTimeoutMs?: number;
  /** Path of another build of better-sqlite3's addon. */
  readonly addon?: string;
}

/**
 * A store in one SQLite file, safe for several processes. What resolved is on disk. Throws `EbbError` when the file cannot be
 * opened; the bytes of originals must not change until a call that was given them settles. A sweep is many small transactions, so
 * that requests pass in between: one that fails keeps the steps it finished.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const opened = openDatabase({
    file: options.file,
    busyTimeoutMs: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    addon: options.addon ?? null,
  });
  try {
    return createStore(opened, options.bytesMax ?? null);
  } catch (failure) {
    opened.database.close();
    throw toStoreError(failure);
  }
}

const NOTHING: Removed = { originals: 0, bytes: 0 };

interface Tables {
  readonly tenants: TenantRows;
  readonly originals: OriginalRows;
  readonly ledger: LedgerRows;
  readonly chains: ChainRows;
  readonly anchors: AnchorRows;
  readonly removal: RemovalRows;
}

function createTables(database: Database, bytesMax: number | null): Tables {
  return {
    tenants: createTenantRows(database),
    originals: createOriginalRows(database, bytesMax),
    ledger: createLedgerRows(database),
    chains: createChainRows(database),
    anchors: createAnchorRows(database),
    removal: createRemovalRows(database),
  };
}

function createStore(opened: OpenedDatabase, bytesMax: number | null): Store {
  const { database } = opened;
  const tables = createTables(database, bytesMax);
  const { tenants, originals, ledger, chains, anchors, removal } = tables;
  const { read, write } = createAccess(opened);
  const reclaim = createReclaim(database);
  const size = createSize(database);
  const prepare = (given: readonly Original[]) =>
    read(() => originals.prepare(given)).catch((failure: unknown) => {
      throw toStoreError(failure);
    });
  const remove = (act: () => Removed): Removed => {
    const removed = write(act);
    if (removed.originals > 0) reclaim.request();
    return removed;
  };

  return {
    name: "sqlite",
    findAnchored: async (tenant, wanted) => read(() => inTenant(tenants, tenant, (id) => anchors.find(id, wanted), [])),
    findChain: async (tenant, chain, preferSessionId) =>
      read(() => inTenant(tenants, tenant, (id) => chains.find(id, chain, preferSessionId), null)),
    loadLineage: async (tenant, lineage) => read(() => inTenant(tenants, tenant, (id) => ledger.load(id, lineage), [])),
    async commit(commit) {
      const prepared = await prepare(commit.originals);
      return write(() => applyCommit(tables, commit, prepared, bytesMax ?? 0));
    },
    async putOriginals(tenant, given, atMs) {
      const prepared = await prepare(given);
      return write(() => applyPut(tables, tenant, prepared, atMs));
    },
    getOriginal: async (tenant, digest) =>
      read(() => inTenant(tenants, tenant, (id) => originals.get(id, digest), { state: "unknown" })),
    findItems: async (tenant, id) =>
      read(() => inTenant(tenants, tenant, (tenantId) => ledger.findItems(tenantId, id), [])),
    listLineages: async (tenant, limit) => read(() => inTenant(tenants, tenant, (id) => ledger.list(id, limit), [])),
    async sweep(beforeMs, atMs) {
      const total = await sweepInSteps((cursor) => {
        let next: SweepCursor | null = null;
        const removed = remove(() => {
          const step: SweepStep = removal.sweep(beforeMs, { state: "expired", atMs }, cursor);
          next = step.next;
          return step.removed;
        });
        return { removed, next };
      });
      await reclaim.run();
      return total;
    },
    async purge(tenant, selection, atMs) {
      const burial = { state: "purged", atMs } as const;
      const removed = remove(() => inTenant(tenants, tenant, (id) => removal.purge(id, selection, burial), NOTHING));
      await reclaim.run();
      return removed;
    },
    size: async () => read(size),
    check: async () => read(() => checkDatabase(database)),
    async close() {
      if (!database.open) return;
      await reclaim.run();
      database.close();
    },
  };
}

/** Many short transactions with turns of the loop between them. */
async function sweepInSteps(step: (cursor: SweepCursor | null) => SweepStep): Promise<Removed> {
  const total = { originals: 0, bytes: 0 };
  let cursor: SweepCursor | null = null;
  do {
    const { removed, next }: SweepStep = step(cursor);
    total.originals += removed.originals;
    total.bytes += removed.bytes;
    cursor = next;
    await nextTurn();
  } while (cursor !== null);
  return total;
}

function inTenant<Answer>(
  tenants: TenantRows,
  tenant: string,
  answer: (tenantId: number) => Answer,
  otherwise: Answer,
): Answer {
  const tenantId = tenants.find(tenant);
  return tenantId === null ? otherwise : answer(tenantId);
}

function applyCommit(
  tables: Tables,
  commit: Commit,
  originals: readonly PreparedOriginal[],
  bytesMax: number,
): CommitOutcome {
  const before = inTenant(tables.tenants, commit.tenant, (id) => tables.ledger.find(id, commit.lineage), null);
  const seqBefore = before?.seq ?? 0;
  const isNewButKnown = commit.expectedSeq === 0 && before !== null;
  if (seqBefore !== commit.expectedSeq || isNewButKnown) return { ok: false, kind: "conflict", seq: seqBefore };
  if (tables.originals.areOverCap(originals)) return { ok: false, kind: "full", bytesMax };
  const tenantId = tables.tenants.ensure(commit.tenant);
  tables.originals.put(tenantId, originals, commit.atMs);
  const { id, seq } = tables.ledger.append(tenantId, before, commit);
  tables.chains.put(tenantId, id, commit.chain);
  return { ok: true, seq };
}

function applyPut(tables: Tables, tenant: string, originals: readonly PreparedOriginal[], atMs: number): boolean {
  if (tables.originals.areOverCap(originals)) return false;
  tables.originals.put(tables.tenants.ensure(tenant), originals, atMs);
  return true;
}

interface Access {
  /** Maps failures of the environment. */
  read<Answer>(act: () => Answer): Answer;
  /** The same in one transaction that is durable when it returns, or never happened. */
  write<Answer>(act: () => Answer): Answer;
}

function createAccess(opened: OpenedDatabase): Access {
  const { database } = opened;
  const read = <Answer>(act: () => Answer): Answer => {
    if (!database.open) throw new EbbError("store_closed", "the store is closed");
    try {
      return act();
    } catch (failure) {
      throw toStoreError(failure);
    }
  };
  const write = <Answer>(act: () => Answer): Answer =>
    read(() => {
      opened.assertInPlace();
      return database.transaction(act).immediate();
    });
  return { read, write };
}

function createSize(database: Database): () => StoreSize {
  const select = database.prepare<[], StoreSize>(
    `SELECT originals, stored_count AS storedBytes, byte_count AS originalBytes,
       (SELECT count(*) FROM lineages) AS lineages, (SELECT coalesce(sum(seq), 0) FROM lineages) AS entries
     FROM totals`,
  );
  return () => {
    const size = select.get();
    if (size === undefined) throw new EbbError("store_corrupt", "the store has lost its totals");
    return size;
  };
}
