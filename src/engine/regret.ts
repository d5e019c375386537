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
}

/** A request's releases and what is new in it, prepared for the looks. */
export interface RegretSearch extends RegretInput {
  /** Newest decision first. */
  readonly releases: readonly Release[];
  /** Finished calls of which the call or the result is new, in order. */
  readonly fresh: readonly PlacedAcquisition[];
  itemOf(key: ItemKey): Item | null;
  placedOf(item: Item): PlacedAcquisition | null;
}

/**
 * Releases that this request shows to have been missed, each once for each kind. Costs in proportion to what is new, and nothing
 * where nothing was released. It counts what the transcript shows and decides nothing.
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
  const items = new Map(transcript.items.map((item) => [item.key, item]));
  const byCall = new Map(observations.acquisitions.map((placed) => [placed.acquisition.callId, placed]));
  const placedOf = (item: Item): PlacedAcquisition | null =>
    item.kind === "result" || item.kind === "media" ? (byCall.get(item.callId ?? "") ?? null) : null;
  const releases = decisions.flatMap((decision): readonly Release[] => {
    const item = items.get(decision.itemKey);
    return item === undefined ? [] : [{ item, decision, placed: placedOf(item) }];
  });
  return {
    ...input,
    releases: releases.reverse().sort((left, right) => right.decision.step - left.decision.step),
    fresh: observations.acquisitions.filter(
      ({ callKey, resultKey }) => resultKey !== null && (newKeys.has(callKey) || newKeys.has(resultKey)),
    ),
    itemOf: (key) => items.get(key) ?? null,
    placedOf,
  };
}

function regretOf({ release, kind, step }: Shown, stepsBefore: number): Regret {
  const { itemKey, address, originalDigest } = release.decision;
  return { itemKey, address, originalDigest, path: release.placed?.path ?? null, kind, step: stepsBefore + step };
}
