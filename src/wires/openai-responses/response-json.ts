import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { Splice } from "../shared/splice.ts";
import { kindOf } from "../shared/value.ts";
import { endItem, type ItemDraft, openItem } from "./item-draft.ts";
import { isWithheld } from "./round.ts";
import { type RoundUsage, usageSplices } from "./round-usage.ts";

/** JSON of the members that the first response gives the whole, by name. */
export type FirstNames = ReadonlyMap<string, string>;

/** What a response is put together with. */
export interface Rounds {
  /** Items of this round. */
  readonly drafts: readonly ItemDraft[];
  /** JSON of what the client saw of the rounds before. */
  readonly shownBefore: readonly string[];
  readonly usageBefore: RoundUsage;
  /** Null before the first response. */
  readonly first: FirstNames | null;
}

const OF_THE_FIRST = ["id", "created_at"];

/** What the first response gives the whole. */
export function firstNamesOf(text: JsonBytes, response: Span): FirstNames {
  const { spans } = membersOf(text, response.start);
  return new Map(
    OF_THE_FIRST.flatMap((name) => {
      const span = spans.get(name);
      return span === undefined ? [] : [[name, text.bytes.toString("utf8", span.start, span.end)] as const];
    }),
  );
}

/** The items with what a response repeats of them where it was not told before. */
export function withRepeated(drafts: readonly ItemDraft[], text: JsonBytes, response: Span): readonly ItemDraft[] {
  if (drafts.every(({ json }) => json !== null)) return drafts;
  const repeated = elementsIn(text, response);
  const places = placesOf(drafts, repeated.length);
  return drafts.map((draft) => {
    const span = repeated[places.get(draft) ?? draft.index];
    const isSame = span !== undefined && kindOf(text, span) === "object" && openItem(0, text, span).type === draft.type;
    return draft.json === null && isSame ? endItem(draft, text, span) : draft;
  });
}

/**
 * Changes that make the last response the whole one: named like the first, with the output that the client saw and the usage of all
 * rounds. An output that the provider does not repeat stays as it came.
 */
export function mergeSplices(text: JsonBytes, response: Span, rounds: Rounds): readonly Splice[] {
  const { drafts, shownBefore, usageBefore, first } = rounds;
  const { spans } = membersOf(text, response.start);
  const splices: Splice[] = [...usageSplices(usageBefore, text, response)];
  for (const [name, json] of first ?? []) {
    const span = spans.get(name);
    if (span === undefined || text.bytes.toString("utf8", span.start, span.end) === json) continue;
    splices.push({ ...span, bytes: Buffer.from(json) });
  }
  const elements = elementsIn(text, response);
  const output = spans.get("output");
  const places = placesOf(drafts, elements.length);
  const hidden = new Set(drafts.flatMap((draft) => (isWithheld(draft) ? [places.get(draft)] : [])));
  const isBare = elements.length === 0 && drafts.length > 0;
  if (output === undefined || isBare || (hidden.size === 0 && shownBefore.length === 0)) return splices;
  const shown = elements.flatMap(({ start, end }, index) =>
    hidden.has(index) ? [] : [text.bytes.toString("utf8", start, end)],
  );
  splices.push({ ...output, bytes: Buffer.from(`[${[...shownBefore, ...shown].join(",")}]`) });
  return splices;
}

/** Where each item stands in an output of `count` items. Some servers number what they tell with gaps. */
function placesOf(drafts: readonly ItemDraft[], count: number): ReadonlyMap<ItemDraft, number> {
  const isAll = drafts.length === count;
  const ordered = drafts.toSorted((one, other) => one.index - other.index);
  return new Map(ordered.map((draft, place) => [draft, isAll ? place : draft.index]));
}

/** Elements of the response's output. */
export function elementsIn(text: JsonBytes, response: Span): readonly Span[] {
  const output = membersOf(text, response.start).spans.get("output");
  return output !== undefined && kindOf(text, output) === "array" ? elementsOf(text, output.start) : [];
}
