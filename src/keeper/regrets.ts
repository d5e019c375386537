import { type LineIndex, lineIndexOf } from "../engine/distinctive-lines.ts";
import { withoutRowNumbers } from "../engine/forwarded-text.ts";
import { regretsIn } from "../engine/regret.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import type { Decision } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { Regret } from "../model/regret.ts";
import type { DraftInput } from "./draft.ts";

/** Distinctive lines of released items, indexed once by digest. Bounded; what is forgotten is indexed again. */
export interface LineIndexes {
  of(item: Item, isNumbered: boolean, textOf: (item: Item) => string): LineIndex;
}

const INDEXES_MAX = 2_000;

/** No lines yet. */
export function createLineIndexes(): LineIndexes {
  const indexes = createBoundedMap<string, LineIndex>(INDEXES_MAX);
  return {
    of(item, isNumbered, textOf) {
      const name = `${item.digest}${isNumbered ? "#" : ""}`;
      const known = indexes.get(name);
      if (known !== undefined) return known;
      const text = textOf(item);
      const index = lineIndexOf(isNumbered ? withoutRowNumbers(text) : text);
      indexes.set(name, index);
      return index;
    },
  };
}

/** Releases sent before that what is new in this request shows to have been missed, without those on record. */
export function findRegrets(
  { source, understood, placement }: DraftInput,
  decisions: readonly Decision[],
  indexes: LineIndexes,
): readonly Regret[] {
  if (decisions.length === 0) return [];
  const { standing } = placement.lineage;
  const counted = new Set(standing.regrets.map(({ itemKey, kind }) => `${kind} ${itemKey}`));
  const textOf = (item: Item) => source.textOf(item);
  return regretsIn({
    transcript: source.transcript,
    observations: understood.observations,
    newKeys: new Set(understood.chain.keys.slice(placement.sentCount)),
    decisions,
    stepsBefore: standing.stepsBefore,
    isCounted: (itemKey, kind) => counted.has(`${kind} ${itemKey}`),
    stubTargetOf: (resultKey) => understood.reads.get(resultKey)?.stubTarget ?? null,
    textOf,
    linesOf: (item, isNumbered) => indexes.of(item, isNumbered, textOf),
    changeText: (call, text) => understood.changeText(call, text),
  });
}
