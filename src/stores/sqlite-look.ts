import { statSync } from "node:fs";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { EbbError, type EbbErrorCode } from "../lib/ebb-error.ts";
import { sha256Hex } from "../lib/hash.ts";
import { APPLICATION_ID, MIGRATIONS } from "./migrations/migrate.ts";
import { decodeOriginal } from "./original-encoding.ts";
import { checkDatabase } from "./sqlite-check.ts";
import { toStoreError } from "./sqlite-error.ts";

/** The newest schema that this program knows. */
export const SCHEMA_KNOWN = MIGRATIONS.length;

/** How to look at a store's file. */
export interface LookOptions {
  readonly file: string;
  /** A file up to so many bytes is checked whole. */
  readonly wholeBytesMax: number;
  /** How long the newest originals of a larger one are verified, in milliseconds. */
  readonly sampleMs: number;
  /** How long to wait for another process, in milliseconds. */
  readonly lockMs: number;
  /** Path of another build of better-sqlite3's addon; null for the installed one. */
  readonly addon: string | null;
}

/** What a store's file is, without changing it. */
export type StoreLook =
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly code: EbbErrorCode; readonly words: string }
  /** A database of another program, or of a newer Ebb. */
  | { readonly kind: "foreign" }
  | { readonly kind: "newer"; readonly schema: number }
  | ({ readonly kind: "opened" } & OpenedLook);

export interface OpenedLook {
  /** 0 for a file without tables. */
  readonly schema: number;
  readonly fileBytes: number;
  /** Bytes of the log beside it. */
  readonly logBytes: number;
  readonly originals: number;
  readonly storedBytes: number;
  /** Time of the newest entry; null where there is none. */
  readonly newestAtMs: number | null;
  /** Damage, in words. */
  readonly problems: readonly string[];
  /** How many originals were verified; null where the whole file was. */
  readonly sampled: number | null;
  /** Why it cannot be written now; null where it can. */
  readonly unwritable: { readonly code: EbbErrorCode; readonly words: string } | null;
}

/** Looks at a store's file; never throws for what the environment does. Writes nothing: a write is begun and abandoned. */
export function lookAtStore(options: LookOptions): StoreLook {
  try {
    const size = statSync(options.file, { throwIfNoEntry: false });
    return size === undefined ? { kind: "absent" } : lookInside(options, size.size);
  } catch (failure) {
    return isBelowFile(failure) ? { kind: "absent" } : { kind: "failed", ...toFailure(failure) };
  }
}

/** Where a file stands in place of the folder there is no store. */
function isBelowFile(failure: unknown): boolean {
  return failure instanceof Error && "code" in failure && failure.code === "ENOTDIR";
}

/** The version of SQLite where the driver loads. */
export type DriverLook =
  | { readonly ok: true; readonly sqlite: string }
  | { readonly ok: false; readonly words: string };

/** Loads the driver and computes something with it; never throws for what the environment does. */
export function lookAtDriver(addon: string | null): DriverLook {
  try {
    const database = new SqliteDatabase(":memory:", addon === null ? {} : { nativeBinding: addon });
    const sqlite = database.prepare<[], string>("SELECT sqlite_version()").pluck().get();
    database.close();
    return { ok: true, sqlite: sqlite ?? "unknown" };
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
    return { ok: false, words: failure.message };
  }
}

/**
 * What a killed process left in the log stays there: the last connection that may write would fold it into the file, so one that
 * may only read outlives it then.
 */
function lookInside(options: LookOptions, fileBytes: number): StoreLook {
  const hasLog = logBytesOf(options) > 0;
  const database = open(options, true);
  let look: OpenedLook;
  try {
    const schema = numberOf(database, "user_version");
    const hasTables = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
    if ((schema > 0 || hasTables) && numberOf(database, "application_id") !== APPLICATION_ID)
      return { kind: "foreign" };
    if (schema > SCHEMA_KNOWN) return { kind: "newer", schema };
    look = { ...NOTHING_STORED, ...contentsOf(database, schema, fileBytes, options), schema, fileBytes };
    look = { ...look, logBytes: logBytesOf(options) };
    if (hasLog && look.problems.length === 0) look = { ...look, unwritable: unwritableBy(options) };
  } finally {
    database.close();
  }
  if (!hasLog && look.problems.length === 0) look = { ...look, unwritable: unwritableBy(options) };
  return { kind: "opened", ...look };
}

function logBytesOf({ file }: LookOptions): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

const NOTHING_STORED: OpenedLook = {
  schema: 0,
  fileBytes: 0,
  logBytes: 0,
  originals: 0,
  storedBytes: 0,
  newestAtMs: null,
  problems: [],
  sampled: null,
  unwritable: null,
};

function contentsOf(
  database: Database,
  schema: number,
  fileBytes: number,
  { wholeBytesMax, sampleMs }: LookOptions,
): Partial<OpenedLook> {
  if (schema === 0) return {};
  const totals = database
    .prepare<[], { originals: number; stored_count: number }>("SELECT originals, stored_count FROM totals")
    .get();
  const newestAtMs = database.prepare<[], number | null>("SELECT max(last_at_ms) FROM lineages").pluck().get() ?? null;
  const found =
    fileBytes <= wholeBytesMax
      ? { problems: checkDatabase(database), sampled: null }
      : newestOriginals(database, sampleMs);
  return { originals: totals?.originals ?? 0, storedBytes: totals?.stored_count ?? 0, newestAtMs, ...found };
}

interface OriginalRow {
  readonly digest: Buffer;
  readonly encoding: string;
  readonly byte_count: number;
  readonly bytes: Buffer;
}

function newestOriginals(database: Database, sampleMs: number): Pick<OpenedLook, "problems" | "sampled"> {
  const rows = database.prepare<[], OriginalRow>(
    "SELECT digest, encoding, byte_count, bytes FROM originals ORDER BY id DESC",
  );
  const untilMs = performance.now() + sampleMs;
  const problems: string[] = [];
  let sampled = 0;
  for (const { digest, encoding, byte_count: byteCount, bytes } of rows.iterate()) {
    const decoded = decodeOriginal(encoding, bytes, byteCount);
    const name = digest.toString("hex");
    if (decoded === null || sha256Hex(decoded) !== name)
      problems.push(`the original ${name} does not match its digest`);
    sampled += 1;
    if (performance.now() > untilMs) break;
  }
  return { problems, sampled };
}

function unwritableBy(options: LookOptions): OpenedLook["unwritable"] {
  try {
    const database = open(options, false);
    try {
      // To begin is not enough: on a file that may only be read SQLite begins without a word.
      database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${numberOf(database, "user_version")}; ROLLBACK`);
      return null;
    } finally {
      database.close();
    }
  } catch (failure) {
    return toFailure(failure);
  }
}

function open({ file, lockMs, addon }: LookOptions, readonly: boolean): Database {
  return new SqliteDatabase(file, {
    readonly,
    fileMustExist: true,
    timeout: lockMs,
    ...(addon === null ? {} : { nativeBinding: addon }),
  });
}

function numberOf(database: Database, pragma: string): number {
  return Number(database.pragma(pragma, { simple: true }));
}

function toFailure(failure: unknown): { readonly code: EbbErrorCode; readonly words: string } {
  const mapped = toStoreError(failure);
  if (!(mapped instanceof EbbError)) throw mapped;
  return { code: mapped.code, words: mapped.message };
}
