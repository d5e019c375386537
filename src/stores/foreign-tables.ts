import SqliteDatabase, { type Database } from "better-sqlite3";

/** Tables of another program's database, open for reading alone. */
export interface ForeignTables {
  /** Names of a table's columns; none where there is no such table. */
  columnsOf(table: string): readonly string[];
  /** All rows of a query, by column. Throws where the query does not fit the database. */
  rows(query: string, values?: readonly string[]): readonly Readonly<Record<string, unknown>>[];
  close(): void;
}

/** How long another process may hold the database, in milliseconds. */
const LOCK_MS = 2_000;

/** Opens a SQLite database of another program for reading. Never throws; the words are the driver's code. */
export function openForeignTables(
  path: string,
): { readonly ok: true; readonly tables: ForeignTables } | { readonly ok: false; readonly words: string } {
  try {
    return {
      ok: true,
      tables: tablesOf(new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: LOCK_MS })),
    };
  } catch (failure) {
    const code = failure instanceof Error && "code" in failure ? failure.code : null;
    return { ok: false, words: typeof code === "string" ? code : "unknown reason" };
  }
}

function tablesOf(database: Database): ForeignTables {
  return {
    columnsOf: (table) =>
      database
        .prepare<[string], { name: string }>("SELECT name FROM pragma_table_info(?)")
        .all(table)
        .map(({ name }) => name),
    rows: (query, values = []) => database.prepare<string[], Record<string, unknown>>(query).all(...values),
    close: () => database.close(),
  };
}
