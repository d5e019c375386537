import { promisify } from "node:util";
import type { Database } from "better-sqlite3";
import { EbbError } from "../lib/ebb-error.ts";
import { toStoreError } from "./sqlite-error.ts";

/** Free pages given back at a time: some ten milliseconds. */
const VACUUM_PAGES = 500;

/** Lets requests in between two steps of a long piece of work. */
export const nextTurn = promisify(setImmediate);

/** Makes removed bytes leave the disk. */
export interface Reclaim {
  /** Something was removed: `run` has work to do. */
  request(): void;
  /** Does nothing unless requested; never rejects for another process's sake. */
  run(): Promise<void>;
}

/**
 * Gives freed pages back and empties the log, which still holds what was removed. Another process in mid-transaction
 * can forbid it for a moment: then it stays pending, and the removal itself stands.
 */
export function createReclaim(database: Database): Reclaim {
  let isPending = false;
  return {
    request() {
      isPending = true;
    },
    async run() {
      if (!isPending) return;
      try {
        await vacuum(database);
        if (!database.open) return;
        isPending = Number(database.pragma("wal_checkpoint(TRUNCATE)", { simple: true })) !== 0;
      } catch (failure) {
        const mapped = toStoreError(failure);
        if (!(mapped instanceof EbbError)) throw failure;
      }
    },
  };
}

async function vacuum(database: Database): Promise<void> {
  let freePages = Number(database.pragma("freelist_count", { simple: true }));
  for (; freePages > 0 && database.open; freePages -= VACUUM_PAGES) {
    database.pragma(`incremental_vacuum(${VACUUM_PAGES})`);
    await nextTurn();
  }
}
