import { printable } from "../lib/printable.ts";

/** Parameters of a query by name; words where it cannot be meant: a name nobody knows, or one that comes twice. */
export type OwnQuery =
  | { readonly ok: true; readonly values: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly words: string };

/** Reads a query that may have the parameters `known`. */
export function readQuery(query: string, known: readonly string[]): OwnQuery {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name)) {
      const expected = known.length === 0 ? "no parameter" : `one of ${known.join(", ")}`;
      return { ok: false, words: `expected ${expected}, got ${printable(name)}` };
    }
    if (values.has(name)) return { ok: false, words: `${name}: expected once, got several` };
    values.set(name, value);
  }
  return { ok: true, values };
}
