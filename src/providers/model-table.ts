import type { ModelFacts } from "../model/cache.ts";
import type { Provider } from "../model/ports.ts";

/** What is on record of one model, or assumed of one that is not. */
export type RecordedFacts = Omit<ModelFacts, "isKnown">;

/** One model of a table. `id` is an id that a request names it by. */
export interface ModelRow {
  readonly id: string;
  readonly facts: RecordedFacts;
}

/** A provider whose models are a table. */
export interface TableProvider extends Provider {
  /** One id for each model on record, in the order of the table. */
  readonly modelIds: readonly string[];
  /** Where the facts come from, and which of them are assumed, in sentences. */
  readonly sources: readonly string[];
}

/** What a table is made of. */
export interface ModelTable extends Omit<TableProvider, "modelFacts" | "modelIds"> {
  /** Models by their key. */
  readonly rows: Readonly<Record<string, ModelRow>>;
  /** The key that a model's id comes to; null where it has no known shape. */
  keyOf(id: string): string | null;
  /** The most cautious values, for a model that is not in the table. */
  readonly assumed: RecordedFacts;
}

/** A provider that answers from a table; a model that is not in it gets the assumed facts. */
export function providerOf({ rows, keyOf, assumed, ...provider }: ModelTable): TableProvider {
  return {
    ...provider,
    modelIds: Object.values(rows).map(({ id }) => id),
    modelFacts(model) {
      const row = rowOf(model === null ? null : keyOf(model), rows);
      return { isKnown: row !== null, ...(row?.facts ?? assumed) };
    },
  };
}

function rowOf(key: string | null, rows: ModelTable["rows"]): ModelRow | null {
  return key !== null && Object.hasOwn(rows, key) ? (rows[key] ?? null) : null;
}
