import { expect, test } from "vitest";
import { EbbError } from "../lib/ebb-error.ts";
import { toStoreError } from "./sqlite-error.ts";

function failureWith(code: string): Error {
  return Object.assign(new Error(`native words of ${code}`), { code });
}

test("failures of database and system become the documented codes, with their cause", () => {
  const codes = {
    SQLITE_BUSY: "store_locked",
    SQLITE_BUSY_SNAPSHOT: "store_locked",
    SQLITE_LOCKED: "store_locked",
    SQLITE_FULL: "store_full",
    ENOSPC: "store_full",
    SQLITE_CORRUPT_INDEX: "store_corrupt",
    SQLITE_NOTADB: "store_corrupt",
    SQLITE_READONLY_DBMOVED: "store_unwritable",
    SQLITE_CANTOPEN: "store_unwritable",
    EACCES: "store_unwritable",
    EROFS: "store_unwritable",
    SQLITE_IOERR_FSYNC: "store_failed",
    EIO: "store_failed",
  };
  for (const [code, expected] of Object.entries(codes)) {
    const cause = failureWith(code);
    expect(toStoreError(cause)).toMatchObject({ name: "EbbError", code: expected, cause });
  }
});

test("our own mistakes and errors that are mapped already pass as they are", () => {
  const mistake = new Error("assertion failed: a digest");
  const mapped = new EbbError("store_closed", "the store is closed");
  expect(toStoreError(mistake)).toBe(mistake);
  expect(toStoreError(mapped)).toBe(mapped);
});
