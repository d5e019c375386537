import type { Database } from "better-sqlite3";
import { EbbError } from "../../lib/ebb-error.ts";
import { migrateTo1 } from "./0001-initial.ts";
import { migrateTo2 } from "./0002-anchors.ts";

/** Schema changes in order; the schema's version is how many of them were applied. */
export const MIGRATIONS: readonly ((database: Database) => void)[] = [migrateTo1, migrateTo2];

/** Marks the file as Ebb's in SQLite's own header ("Ebb1"). */
export const APPLICATION_ID = 0x45626231;

/**
 * Brings the schema to the newest version, each step in one transaction. Refuses a file of another program and a schema
 * newer than this program.
 */
export function migrate(database: Database, migrations = MIGRATIONS): void {
  const isCurrent = readVersion(database, migrations.length) === migrations.length;
  if (isCurrent) return;
  database
    .transaction(() => {
      const version = readVersion(database, migrations.length);
      for (const step of migrations.slice(version)) step(database);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${migrations.length}`);
    })
    .immediate();
}

function readVersion(database: Database, versionMax: number): number {
  const version = readNumber(database, "user_version");
  const application = readNumber(database, "application_id");
  const isEmpty = version === 0 && application === 0 && isWithoutTables(database);
  if (!isEmpty && application !== APPLICATION_ID) {
    throw new EbbError("store_failed", "the file holds another program's database; choose another file for the store");
  }
  if (version > versionMax) {
    throw new EbbError(
      "store_failed",
      `the store has schema version ${version}, this Ebb knows up to ${versionMax}; use a newer Ebb or another file`,
    );
  }
  return version;
}

function readNumber(database: Database, pragma: string): number {
  return Number(database.pragma(pragma, { simple: true }));
}

function isWithoutTables(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}
