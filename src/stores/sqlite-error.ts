import { EbbError, type EbbErrorCode } from "../lib/ebb-error.ts";

const SQLITE_CODES: readonly (readonly [prefix: string, code: EbbErrorCode, words: string])[] = [
  ["SQLITE_BUSY", "store_locked", "the store is locked by another process"],
  ["SQLITE_LOCKED", "store_locked", "the store is locked by another process"],
  ["SQLITE_FULL", "store_full", "the disk of the store is full"],
  ["SQLITE_CORRUPT", "store_corrupt", "the store's database file is damaged"],
  ["SQLITE_NOTADB", "store_corrupt", "the store's file is not a database"],
  ["SQLITE_READONLY", "store_unwritable", "the store's file cannot be written"],
  ["SQLITE_CANTOPEN", "store_unwritable", "the store's file cannot be opened"],
  ["SQLITE_PERM", "store_unwritable", "the store's file cannot be opened"],
];

const SYSTEM_CODES: readonly (readonly [code: string, to: EbbErrorCode, words: string])[] = [
  ["ENOSPC", "store_full", "the disk of the store is full"],
  ["EDQUOT", "store_full", "the disk quota of the store is used up"],
  ["EACCES", "store_unwritable", "the store's folder or file may not be written"],
  ["EPERM", "store_unwritable", "the store's folder or file may not be written"],
  ["EROFS", "store_unwritable", "the store lies on a read-only file system"],
  ["EEXIST", "store_unwritable", "a file stands where the store's folder should be"],
  ["ENOTDIR", "store_unwritable", "a file stands where the store's folder should be"],
  ["EISDIR", "store_unwritable", "a folder stands where the store's file should be"],
  ["ENOENT", "store_unwritable", "the store's folder does not exist"],
];

const REBUILD_WORDS =
  "better-sqlite3 could not be loaded: it was built for another version of Node or not built at all; run `npm rebuild better-sqlite3`";

/** The environment's failure as the one error class; our own mistakes and errors that are mapped already pass as they are. */
export function toStoreError(failure: unknown): unknown {
  if (failure instanceof EbbError || !(failure instanceof Error)) return failure;
  const code = codeOf(failure);
  if (isAddonFailure(failure, code)) return new EbbError("store_failed", REBUILD_WORDS, failure);
  if (code === null) return failure;
  const sqlite = SQLITE_CODES.find(([prefix]) => code.startsWith(prefix));
  if (sqlite !== undefined) return new EbbError(sqlite[1], sqlite[2], failure);
  const system = SYSTEM_CODES.find(([name]) => code === name);
  if (system !== undefined) return new EbbError(system[1], system[2], failure);
  return new EbbError("store_failed", `the store failed: ${code}`, failure);
}

function isAddonFailure(failure: Error, code: string | null): boolean {
  return code === "ERR_DLOPEN_FAILED" || code === "MODULE_NOT_FOUND" || failure.message.includes("bindings file");
}

function codeOf(failure: Error): string | null {
  return "code" in failure && typeof failure.code === "string" ? failure.code : null;
}
