import type { Observations, PlacedAcquisition, ReadFact } from "../model/acquisition.ts";
import type { ModelFacts } from "../model/cache.ts";
import type { ItemLabel, RecallChannel } from "../model/decision.ts";
import type { Address, Item, ItemKey } from "../model/item.ts";
import type { LifetimeRule } from "../model/lifetime-rule.ts";
import type { WireSource } from "../model/ports.ts";
import type { Regret } from "../model/regret.ts";
import type { Clock } from "../model/transcript.ts";
import type { LostRead, View } from "../model/view.ts";
import { type Declarable, type Declared, protectionOf, spanOf } from "./declared.ts";
import { judgeUntil } from "./deliberate.ts";
import { expiriesOf } from "./expiry.ts";
import { exposureOf } from "./exposure.ts";
import { isEbbRecall } from "./recall-channel.ts";
import { type RecalledText, recalledText } from "./recalled-text.ts";
import { faultsByPath } from "./regret-faults.ts";
import { type LineageStanding, standingOf } from "./standing.ts";

export interface ViewInput {
  readonly source: WireSource;
  readonly observations: Observations;
  readonly reads: ReadonlyMap<ItemKey, ReadFact>;
  readonly chainKeys: readonly ItemKey[];
  readonly sentCount: number;
  readonly standing: LineageStanding;
  readonly clock: Clock;
  readonly model: ModelFacts;
  readonly channel: RecallChannel;
  readonly isCold: boolean;
  readonly bodyBytes: number;
  readonly lostReads: ReadonlyMap<ItemKey, LostRead>;
  /** Items of this request that came in as markers of Ebb and are not in the ledger yet, with the addresses they stand for. */
  readonly echoes: ReadonlyMap<ItemKey, Address>;
  /** Regrets that this request shows and the ledger does not have yet. */
  readonly regrets: readonly Regret[];
  readonly rules: readonly LifetimeRule[];
  /** What is known of the item's acquisition is handed on; undefined where nothing is. */
  isUnstorable(key: ItemKey, placed: PlacedAcquisition | undefined): boolean;
  tokensOf(item: Item): number;
  exceedsTokens(item: Item, count: number): boolean;
}

/** Everything policies and gates may look at, assembled from what the keeper loaded. */
export function viewOf(input: ViewInput): View {
  const { source, standing } = input;
  const { transcript } = source;
  const acquisitions = new Map<ItemKey, PlacedAcquisition>();
  const byCall = new Map<string, PlacedAcquisition>();
  for (const placed of input.observations.acquisitions) {
    if (placed.resultKey !== null) acquisitions.set(placed.resultKey, placed);
    byCall.set(placed.acquisition.callId, placed);
  }
  let items: ReadonlyMap<ItemKey, Item> | null = null;
  const itemOf = (key: ItemKey): Item | null => {
    items ??= new Map(transcript.items.map((item) => [item.key, item]));
    return items.get(key) ?? null;
  };
  const declarable = (key: ItemKey): Declarable => {
    const item = itemOf(key);
    const placed = item === null ? null : acquisitionOf(item, acquisitions, byCall);
    return declarableOf(key, standing, placed);
  };
  const recalled = recalledText({
    items: transcript.items,
    standing,
    clock: input.clock,
    channel: input.channel,
    acquisitionOf: (item) => acquisitionOf(item, acquisitions, byCall),
    itemOf,
    textOf: (item) => source.textOf(item),
  });
  const expiries = expiriesOf({
    transcript,
    standing,
    clock: input.clock,
    rules: input.rules,
    acquisitionOf: (item) => acquisitionOf(item, acquisitions, byCall),
  });
  const absolutePathOf = (item: Item) => acquisitionOf(item, acquisitions, byCall)?.path ?? null;
  const faults = faultsByPath([...standing.regrets, ...input.regrets]);
  const thinking = transcript.items.filter((item) => item.kind === "thinking");
  return {
    transcript,
    clock: input.clock,
    model: input.model,
    channel: input.channel,
    acquisitions,
    reads: input.reads,
    isCold: input.isCold,
    bodyBytes: input.bodyBytes,
    itemOf,
    standingOf: (key) => standingOf(standing, key),
    exposureOf: exposureOf(transcript, input.chainKeys, input.sentCount),
    thinkingBehind(item) {
      const last = thinking.at(-1);
      if (last === undefined || !precedes(item, last)) return null;
      return thinking.find((one) => precedes(item, one))?.key ?? null;
    },
    isUnstorable(key) {
      const item = itemOf(key);
      const placed = item === null ? null : acquisitionOf(item, acquisitions, byCall);
      return input.isUnstorable(key, placed ?? undefined);
    },
    isProtected: (key) => isRunning(protectionOf(declarable(key), standing.deliberate, input.clock), input),
    echoOf: (key) => standing.echoes.get(key) ?? input.echoes.get(key) ?? null,
    wishOf: (key) => standing.deliberate.wishes.get(key)?.wish ?? null,
    isHeldBySpan: (key) => isRunning(spanOf(declarable(key), standing.deliberate, input.clock), input),
    expiryOf: (key) => expiries.get(key) ?? null,
    recalledFrom: recalled.fromOf,
    exemptionOf: recalled.exemptionOf,
    faultsOf: (item) => faults(absolutePathOf(item)),
    labelOf: (item) => labelOf(item, acquisitions, byCall, recalled),
    absolutePathOf,
    lostReadOf: (key) => input.lostReads.get(key) ?? null,
    tokensOf: (item) => input.tokensOf(item),
    exceedsTokens: (item, count) => input.exceedsTokens(item, count),
    textOf: (item) => source.textOf(item),
  };
}

function isRunning(declared: Declared | null, { standing, clock }: ViewInput): boolean {
  if (declared === null) return false;
  return judgeUntil(declared.declaration.until, clock, standing.deliberate.scopes) !== "over";
}

/** An item as declarations see it, from what is known of how it was acquired. */
function declarableOf(key: ItemKey, standing: LineageStanding, placed: PlacedAcquisition | null): Declarable {
  const isAcquired = standing.acquired.has(key);
  return { key, isAcquired, path: placed?.acquisition.path ?? null, absolutePath: placed?.path ?? null };
}

/** What an item was, from the acquisition behind it. */
export function labelOf(
  item: Item,
  acquisitions: ReadonlyMap<ItemKey, PlacedAcquisition>,
  byCall: ReadonlyMap<string, PlacedAcquisition>,
  recalled: RecalledText,
): ItemLabel {
  const placed = acquisitionOf(item, acquisitions, byCall);
  if (placed === null) return { tool: null, path: null, lineStart: null, lineEnd: null, command: null };
  const { acquisition } = placed;
  return {
    tool: acquisition.tool,
    path: acquisition.path,
    lineStart: acquisition.printed?.start ?? null,
    lineEnd: acquisition.printed?.end ?? null,
    // A recall by tool has no command; what it brought back is told by the address it named.
    command: acquisition.command ?? (isEbbRecall(acquisition.tool) ? recalled.fromOf(item) : null),
  };
}

function acquisitionOf(
  item: Item,
  acquisitions: ReadonlyMap<ItemKey, PlacedAcquisition>,
  byCall: ReadonlyMap<string, PlacedAcquisition>,
): PlacedAcquisition | null {
  const callId = item.kind === "result" || item.kind === "media" ? item.callId : null;
  return acquisitions.get(item.key) ?? (callId === null ? null : (byCall.get(callId) ?? null));
}

function precedes(left: Item, right: Item): boolean {
  if (left.messageIndex !== right.messageIndex) return left.messageIndex < right.messageIndex;
  return left.blockIndex < right.blockIndex;
}
