import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { EbbError } from "../lib/ebb-error.ts";
import { migrate } from "./migrations/migrate.ts";
import { toStoreError } from "./sqlite-error.ts";

/** Milliseconds a start may wait for another process; nothing streams yet. */
const OPEN_TIMEOUT_MS = 5_000;
/** A longer log makes checkpoints rarer and the slowest commits fewer. In pages of 4 KiB. */
const CHECKPOINT_PAGES = 4_000;
/** Bytes the log's file keeps between checkpoints. */
const LOG_BYTES_KEPT = 32 * 1024 * 1024;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export interface OpenedDatabase {
  readonly database: Database;
  /** Throws `store_unwritable` when the file was removed or replaced since it was opened: writes to it would be lost. */
  assertInPlace(): void;
}

export interface DatabaseOptions {
  readonly file: string;
  readonly busyTimeoutMs: number;
  /** Path of another build of the driver's addon; null for the installed one. */
  readonly addon: string | null;
}

/** Opens or creates the file, for its user only, durable on every commit, with the newest schema. Throws `EbbError`. */
export function openDatabase(options: DatabaseOptions): OpenedDatabase {
  const file = resolve(options.file);
  let database: Database | null = null;
  try {
    preparePath(file);
    const opened = statSync(file);
    database = new SqliteDatabase(file, {
      timeout: OPEN_TIMEOUT_MS,
      ...(options.addon === null ? {} : { nativeBinding: options.addon }),
    });
    configure(database);
    migrate(database);
    database.pragma(`busy_timeout = ${options.busyTimeoutMs}`);
    return { database, assertInPlace: () => assertSameFile(file, opened) };
  } catch (failure) {
    database?.close();
    throw toStoreError(failure);
  }
}

function configure(database: Database): void {
  database.pragma("auto_vacuum = INCREMENTAL");
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  database.pragma("secure_delete = ON");
  database.pragma("cell_size_check = ON");
  database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.pragma(`journal_size_limit = ${LOG_BYTES_KEPT}`);
}

/** The file exists for its user alone before SQLite opens it: SQLite gives its log files the same mode. */
function preparePath(file: string): void {
  const folder = dirname(file);
  const created = mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  if (created !== undefined) chmodSync(folder, FOLDER_MODE);
  const descriptor = openSync(file, "a", FILE_MODE);
  try {
    fchmodSync(descriptor, FILE_MODE);
  } finally {
    closeSync(descriptor);
  }
  for (const suffix of ["-wal", "-shm"]) {
    const isThere = statSync(file + suffix, { throwIfNoEntry: false }) !== undefined;
    if (isThere) chmodSync(file + suffix, FILE_MODE);
  }
}

function assertSameFile(file: string, opened: Stats): void {
  const now = statSync(file, { throwIfNoEntry: false });
  if (now !== undefined && now.ino === opened.ino && now.dev === opened.dev) return;
  throw new EbbError("store_unwritable", "the store's file was removed or replaced while in use; restart Ebb");
}
