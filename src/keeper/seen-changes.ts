import { encodeChangeText } from "../engine/change-text.ts";
import { newChanges } from "../engine/seen-changes.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { SeenChange } from "../model/ledger.ts";
import type { Original } from "../model/store.ts";
import type { Draft, DraftInput } from "./draft.ts";

/** Changes of files that this request tells of and its lineage does not know. What may not be stored is named without its text. */
export function seenChanges(
  { placement, source, understood }: Pick<DraftInput, "placement" | "source" | "understood">,
  { view, clock }: Pick<Draft, "view" | "clock">,
  isNeverStored: (path: string) => boolean,
): readonly SeenChange[] {
  const { standing } = placement.lineage;
  const found = newChanges({
    observations: understood.observations,
    known: standing.changes,
    clock,
    stepsBefore: standing.stepsBefore,
    itemOf: (key) => view.itemOf(key),
  });
  if (found.length === 0) return [];
  const textOf = createTexts({ source, understood });
  return found.map((change): SeenChange => {
    if (isNeverStored(change.path)) return { ...change, text: null, base: null };
    const text = change.source === "tool" && change.outcome === "ok" ? textOf(change.itemKey) : null;
    return { ...change, text: text?.digest ?? null };
  });
}

/** Texts of known changes that the store was not asked to keep yet, as far as this request still states them. */
export function changeOriginals(input: Pick<DraftInput, "placement" | "source" | "understood">): readonly Original[] {
  const { stored, standing } = input.placement.lineage;
  const missing = Array.from(standing.changes).filter(([, digest]) => digest !== null && !stored.has(digest));
  if (missing.length === 0) return [];
  const textOf = createTexts(input);
  return missing.flatMap(([itemKey, digest]) => {
    const text = textOf(itemKey);
    return text !== null && text.digest === digest ? [text] : [];
  });
}

/** What a call states that it changes, as an original. */
function createTexts({ source, understood }: Pick<DraftInput, "source" | "understood">) {
  const items = new Map<ItemKey, Item>(source.transcript.items.map((item) => [item.key, item]));
  const results = new Map(
    understood.observations.acquisitions.map(({ callKey, resultKey }) => [callKey, resultKey] as const),
  );
  return (itemKey: ItemKey): Original | null => {
    const call = items.get(itemKey);
    const result = items.get(results.get(itemKey) ?? "");
    if (call?.kind !== "call" || result === undefined) return null;
    const text = understood.changeText(call, source.textOf(result));
    if (text === null) return null;
    const bytes = encodeChangeText(text);
    return { digest: sha256Hex(bytes), bytes };
  };
}
