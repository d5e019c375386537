import type { Observations, PlacedAcquisition, ReadFact } from "../model/acquisition.ts";
import type { ModelFacts } from "../model/cache.ts";
import type { ItemLabel, RecallChannel } from "../model/decision.ts";
import type { Edit } from "../model/edit.ts";
import type { Address, Item, ItemKey } from "../model/item.ts";
import type { LifetimeRule } from "../model/lifetime-rule.ts";
import type { WireSource } from "../model/ports.ts";
import type { Regret } from "../model/regret.ts";
import type { Clock } from "../model/transcript.ts";
import type { CacheView, LostRead, View } from "../model/view.ts";
import { isTrusted } from "./confidence.ts";
import { declaredView } from "./declared-view.ts";
import { expiriesOf } from "./expiry.ts";
import { brokenBehind, exposureOf } from "./exposure.ts";
import { isNetGuarded } from "./net-guard.ts";
import { isEbbRecall } from "./recall-channel.ts";
import { type RecalledText, recalledText } from "./recalled-text.ts";
import { faultsByPath } from "./regret-faults.ts";
import { type LineageStanding, standingOf } from "./standing.ts";
import { type BoundThinking, goneThinking, thinkingWayOf } from "./thinking-way.ts";

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
  /** How many items at the head of the chain the provider may hold; null where that is not known. */
  readonly cachedCount: number | null;
  readonly cache: CacheView;
  /** Results that this request can ask the provider to delete from its cache. */
  readonly deletable: ReadonlySet<ItemKey>;
  /** Items that were part of an earlier request of the lineage or of the one it leaves behind. */
  readonly known: ReadonlyMap<ItemKey, unknown>;
  readonly bodyBytes: number;
  readonly lostReads: ReadonlyMap<ItemKey, LostRead>;
  /** Items of this request that came in as markers of Ebb and are not in the ledger yet, with the addresses they stand for. */
  readonly echoes: ReadonlyMap<ItemKey, Address>;
  /** Regrets that this request shows and the ledger does not have yet. */
  readonly regrets: readonly Regret[];
  readonly rules: readonly LifetimeRule[];
  readonly boundThinking: BoundThinking;
  /** Edits that the request's format can take. */
  readonly takes: ReadonlySet<Edit["kind"]>;
  /** What is known of the item's acquisition is handed on; undefined where nothing is. */
  isUnstorable(key: ItemKey, placed: PlacedAcquisition | undefined): boolean;
  tokensOf(item: Item): number;
  exceedsTokens(item: Item, count: number): boolean;
}

/** Everything policies and gates may look at, assembled from what the keeper loaded. */
export function viewOf(input: ViewInput): View {
  const { source, standing } = input;
  const { transcript } = source;
  const { acquisitions, byCall } = placedIn(input.observations);
  let items: ReadonlyMap<ItemKey, Item> | null = null;
  const itemOf = (key: ItemKey): Item | null => {
    items ??= new Map(transcript.items.map((item) => [item.key, item]));
    return items.get(key) ?? null;
  };
  const placedOf = (item: Item) => acquisitionOf(item, acquisitions, byCall);
  const { clock, channel } = input;
  const recalled = recalledText({
    items: transcript.items,
    standing,
    clock,
    channel,
    acquisitionOf: placedOf,
    itemOf,
    textOf: (item) => source.textOf(item),
  });
  const expiries = expiriesOf({ transcript, standing, clock, rules: input.rules, acquisitionOf: placedOf });
  const absolutePathOf = (item: Item) => placedOf(item)?.path ?? null;
  const faults = faultsByPath([...standing.regrets, ...input.regrets]);
  const isGone = goneThinking(source, standing.thinking, standing.decisions.values());
  const thinking = transcript.items.filter((item) => item.kind === "thinking" && !isGone(item));
  const { settledCount } = input.observations;
  return {
    transcript,
    clock,
    model: input.model,
    channel,
    acquisitions,
    reads: input.reads,
    isCold: input.isCold,
    isBroken: brokenBehind(input.chainKeys, input.cachedCount, input.known),
    bodyBytes: input.bodyBytes,
    cache: input.cache,
    isTrusted: isTrusted(standing.confidence),
    isNetGuarded: isNetGuarded(standing.netCosts),
    canDelete: (item) => input.deletable.has(item.key),
    canMark: (item) => input.takes.has("breakpoint") && source.canMark(item),
    itemOf,
    standingOf: (key) => standingOf(standing, key),
    exposureOf: exposureOf(transcript, input.chainKeys, input.sentCount),
    thinkingBehind: (item) => firstBehind(item, thinking),
    thinkingWay: thinkingWayOf({ ...input, settledCount, option: optionIn(input), standing: standing.thinking }),
    isRefused: standing.thinking.isRefused,
    isGone,
    isUnstorable(key) {
      const item = itemOf(key);
      return input.isUnstorable(key, (item === null ? null : placedOf(item)) ?? undefined);
    },
    ...declaredView({ standing, clock, itemOf, acquisitionOf: placedOf }),
    echoOf: (key) => standing.echoes.get(key) ?? input.echoes.get(key) ?? null,
    wishOf: (key) => standing.deliberate.wishes.get(key)?.wish ?? null,
    expiryOf: (key) => expiries.get(key) ?? null,
    recalledFrom: recalled.fromOf,
    exemptionOf: recalled.exemptionOf,
    kindOf: (item) => (item.kind === "call" ? byCall.get(item.callId) : placedOf(item))?.acquisition.kind ?? null,
    faultsOf: (item) => faults(absolutePathOf(item)),
    labelOf: (item) => labelOf(item, acquisitions, byCall, recalled),
    absolutePathOf,
    lostReadOf: (key) => input.lostReads.get(key) ?? null,
    tokensOf: (item) => input.tokensOf(item),
    exceedsTokens: (item, count) => input.exceedsTokens(item, count),
    textOf: (item) => source.textOf(item),
  };
}

/** Thinking stays where the format has no way for it to leave. */
function optionIn({ boundThinking, takes }: Pick<ViewInput, "boundThinking" | "takes">): BoundThinking {
  return takes.has(boundThinking === "drop" ? "drop-thinking" : "omit") ? boundThinking : "hold";
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

interface PlacedAcquisitions {
  /** By the key of the result. */
  readonly acquisitions: ReadonlyMap<ItemKey, PlacedAcquisition>;
  readonly byCall: ReadonlyMap<string, PlacedAcquisition>;
}

function placedIn({ acquisitions: all }: Observations): PlacedAcquisitions {
  const acquisitions = new Map<ItemKey, PlacedAcquisition>();
  const byCall = new Map<string, PlacedAcquisition>();
  for (const placed of all) {
    if (placed.resultKey !== null) acquisitions.set(placed.resultKey, placed);
    byCall.set(placed.acquisition.callId, placed);
  }
  return { acquisitions, byCall };
}

/** `thinking` is in the order of the transcript. */
function firstBehind(item: Item, thinking: readonly Item[]): ItemKey | null {
  const last = thinking.at(-1);
  if (last === undefined || !precedes(item, last)) return null;
  return thinking.find((one) => precedes(item, one))?.key ?? null;
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
