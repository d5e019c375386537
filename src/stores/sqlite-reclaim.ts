import type { Database } from "better-sqlite3";
import { EbbError } from "../lib/ebb-error.ts";
import { toStoreError } from "./sqlite-error.ts";

/** Makes removed bytes leave the disk. */
export interface Reclaim {
  isPending(): boolean;
  run(): void;
}

/**
 * Gives freed pages back and empties the log, which still holds what was removed. Another process in mid-transaction
 * can forbid it for a moment: then it stays pending, and the removal itself stands.
 */
export function createReclaim(database: Database): Reclaim {
  let isPending = false;
  return {
    isPending: () => isPending,
    run() {
      isPending = true;
      try {
        database.pragma("incremental_vacuum");
        isPending = Number(database.pragma("wal_checkpoint(TRUNCATE)", { simple: true })) !== 0;
      } catch (failure) {
        const mapped = toStoreError(failure);
        if (!(mapped instanceof EbbError)) throw failure;
      }
    },
  };
}
