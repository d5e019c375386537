/** A database of another program, open for reading. Its tables and columns are its own and may be missing. */
export interface Tables {
  /** Names of a table's columns; none where there is no such table. */
  columnsOf(table: string): readonly string[];
  /** All rows of a query, by column. Throws where the query does not fit the database. */
  rows(query: string, values?: readonly string[]): readonly Readonly<Record<string, unknown>>[];
  close(): void;
}

/** Opens a database for reading, never to write. The words say why it could not be opened. */
export type OpenTables = (
  path: string,
) => { readonly ok: true; readonly tables: Tables } | { readonly ok: false; readonly words: string };
