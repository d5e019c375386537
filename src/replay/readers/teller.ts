import type { Told, ToldEntry } from "./told.ts";

/** Where an entry stands. */
export interface TellingPlace {
  readonly line: number;
  readonly atMs: number | null;
}

/** Puts entries one behind the other; each continues the one before it, unless the teller went back. */
export interface Teller {
  readonly entries: readonly ToldEntry[];
  /** The entry that the next one continues; null at the beginning of a history. */
  last(): ToldEntry | null;
  tell(told: Told, place: TellingPlace): ToldEntry;
  /** The next entry continues this one. */
  goTo(entry: ToldEntry | null): void;
}

/** Begins a log without entries. */
export function createTeller(): Teller {
  const entries: ToldEntry[] = [];
  let last: ToldEntry | null = null;
  return {
    entries,
    last: () => last,
    tell(told, { line, atMs }) {
      last = { line, atMs, parent: last, told };
      entries.push(last);
      return last;
    },
    goTo(entry) {
      last = entry;
    },
  };
}
