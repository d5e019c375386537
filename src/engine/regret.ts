import type { ChangeText, Observations, PlacedAcquisition } from "../model/acquisition.ts";
import type { Decision } from "../model/decision.ts";
import type { CallItem, Item, ItemKey } from "../model/item.ts";
import type { Regret, RegretKind } from "../model/regret.ts";
import type { Transcript } from "../model/transcript.ts";
import type { LineIndex } from "./distinctive-lines.ts";
import { rereadRegrets } from "./regret-reads.ts";
import { textRegrets } from "./regret-texts.ts";

export interface RegretInput {
  readonly transcript: Transcript;
  readonly observations: Observations;
  /** Items that no earlier request of the lineage sent: only they can show a regret. */
  readonly newKeys: ReadonlySet<ItemKey>;
  /** Decisions that were in force when the last request left, and whose items this one holds. */
  readonly decisions: readonly Decision[];
  /** Steps that happened before this history began. */
  readonly stepsBefore: number;
  /** True for what the ledger has already. */
  isCounted(itemKey: ItemKey, kind: RegretKind): boolean;
  /** For an "unchanged" answer: the read it points to; null where there is none. */
  stubTargetOf(resultKey: ItemKey): ItemKey | null;
  /** The original of an item, whatever stands in its place. */
  textOf(item: Item): string;
  /** The distinctive lines of a released item; `isNumbered` where a read printed numbers before them. */
  linesOf(item: Item, isNumbered: boolean): LineIndex;
  /** What a successful call states that it changes. */
  changeText(call: CallItem, text: string): ChangeText | null;
}

/** A released item, with how it was obtained. */
export interface Release {
  readonly item: Item;
  readonly decision: Decision;
  readonly placed: PlacedAcquisition | null;
}

/** What shows a regret: which release was missed, how, and the step of this transcript that shows it. */
export interface Shown {
  readonly release: Release;
  readonly kind: RegretKind;
  readonly step: number;
  readonly isFault: boolean;
}

/** A request's releases and what is new in it, prepared for the looks. */
export interface RegretSearch extends RegretInput {
  /** Newest decision first. */
  readonly releases: readonly Release[];
  /** In the order of the transcript. */
  readonly newItems: readonly Item[];
  /** Finished calls of which the call or the result is new, in order. */
  readonly fresh: readonly PlacedAcquisition[];
  itemOf(key: ItemKey): Item | null;
  placedOf(item: Item): PlacedAcquisition | null;
}

/**
 * Releases that this request shows to have been missed, each once for each kind. Costs one walk over the items and beyond that
 * in proportion to what is new, and nothing where nothing was released. It counts what the transcript shows and decides nothing.
 */
export function regretsIn(input: RegretInput): readonly Regret[] {
  const decisions = input.decisions.filter(({ reason }) => reason !== "stub_repair");
  if (decisions.length === 0 || input.newKeys.size === 0) return [];
  const search = searchOf(input, decisions);
  const found = new Map<string, Regret>();
  for (const shown of [...rereadRegrets(search), ...textRegrets(search)]) {
    const { decision } = shown.release;
    const name = `${shown.kind} ${decision.itemKey}`;
    if (found.has(name) || input.isCounted(decision.itemKey, shown.kind)) continue;
    found.set(name, regretOf(shown, input.stepsBefore));
  }
  return Array.from(found.values());
}

function searchOf(input: RegretInput, decisions: readonly Decision[]): RegretSearch {
  const { transcript, observations, newKeys } = input;
  const items = once(() => new Map(transcript.items.map((item) => [item.key, item])));
  const newItems = newItemsOf(transcript.items, newKeys);
  const newByKey = new Map(newItems.map((item) => [item.key, item]));
  const placed = once(() => new Map(observations.acquisitions.map((one) => [one.acquisition.callId, one])));
  return {
    ...input,
    newItems,
    releases: releasesOf(input, decisions),
    fresh: observations.acquisitions.filter(
      ({ callKey, resultKey }) => resultKey !== null && (newKeys.has(resultKey) || newKeys.has(callKey)),
    ),
    itemOf: (key) => newByKey.get(key) ?? items().get(key) ?? null,
    placedOf: (item) => {
      const callId = callIdOf(item);
      return callId === null ? null : (placed().get(callId) ?? null);
    },
  };
}

/** New items stand at the end, so what was there before is not walked through. */
function newItemsOf(items: readonly Item[], newKeys: ReadonlySet<ItemKey>): readonly Item[] {
  const found: Item[] = [];
  for (let at = items.length - 1; at >= 0 && found.length < newKeys.size; at--) {
    const item = items[at];
    if (item !== undefined && newKeys.has(item.key)) found.push(item);
  }
  return found.reverse();
}

function releasesOf({ transcript, observations }: RegretInput, decisions: readonly Decision[]): readonly Release[] {
  const byKey = new Map(decisions.map((decision) => [decision.itemKey, decision]));
  const left = transcript.items.filter((item) => byKey.has(item.key));
  const callIds = new Set(left.map(callIdOf));
  const placed = new Map<string | null, PlacedAcquisition>();
  for (const one of observations.acquisitions) {
    if (callIds.has(one.acquisition.callId)) placed.set(one.acquisition.callId, one);
  }
  const releases = left.flatMap((item): readonly Release[] => {
    const decision = byKey.get(item.key);
    return decision === undefined ? [] : [{ item, decision, placed: placed.get(callIdOf(item)) ?? null }];
  });
  return releases.reverse().sort((one, other) => other.decision.step - one.decision.step);
}

function callIdOf(item: Item): string | null {
  return item.kind === "result" || item.kind === "media" ? item.callId : null;
}

/** Most requests need no look at everything. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function regretOf({ release, kind, step, isFault }: Shown, stepsBefore: number): Regret {
  const { itemKey, address, originalDigest } = release.decision;
  return {
    itemKey,
    address,
    originalDigest,
    path: release.placed?.path ?? null,
    kind,
    step: stepsBefore + step,
    isFault,
  };
}
