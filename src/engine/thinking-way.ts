import type { Decision } from "../model/decision.ts";
import type { Script } from "../model/edit.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import type { Transcript } from "../model/transcript.ts";
import type { ThinkingWay, View } from "../model/view.ts";
import { rewrites, type ThinkingStanding } from "./thinking-standing.ts";

/**
 * What may become of thinking that is signed over what stands before it. `hold`: it stays, and so does that. `strip_at_turn`: all
 * of it leaves at a new turn, where the provider writes it again anyway. `strip`: at any new turn, for its price. `drop`: the
 * provider is asked to drop what no longer fits.
 */
export type BoundThinking = "hold" | "strip_at_turn" | "strip" | "drop";

/** What tells how a release can act in front of signed thinking. */
export interface WayGround {
  readonly option: BoundThinking;
  readonly source: Pick<WireSource, "transcript" | "takesDrop">;
  /** Items in front of the round that the model is in. */
  readonly settledCount: number;
  readonly standing: ThinkingStanding;
  readonly model: Pick<View["model"], "thinkingBinding">;
  readonly cache: Pick<View["cache"], "heldCount" | "isKnown">;
  readonly isCold: boolean;
}

/** How a release in front of signed thinking can act in this request; null: it cannot. */
export function thinkingWayOf(ground: WayGround): ThinkingWay | null {
  const { option, source, standing, model } = ground;
  if (option === "hold" || model.thinkingBinding !== "prefix" || standing.isRefused) return null;
  if (option !== "drop") return strippingOf(ground);
  return source.takesDrop ? { kind: "drop", isOn: standing.isDropping } : null;
}

function strippingOf({ option, source, settledCount, standing, cache, isCold }: WayGround): ThinkingWay | null {
  const { transcript } = source;
  const { items, header } = transcript;
  // A request without tools is one beside the conversation, which goes on where it was.
  if (settledCount < items.length || header.toolNames.length === 0) return null;
  const first = items.findIndex(({ kind, key }) => kind === "thinking" && !standing.stripped.has(key));
  if (first === -1 || hasNothingElse(transcript)) return null;
  const isFree = isCold || (cache.isKnown && first >= cache.heldCount);
  if (option === "strip_at_turn" && !isFree) return null;
  const keys = items.flatMap(({ kind, key }) => (kind === "thinking" && !standing.stripped.has(key) ? [key] : []));
  return { kind: "strip", keys, isFree };
}

/** A message of nothing but thinking cannot lose it. */
function hasNothingElse({ messages, items }: Transcript): boolean {
  return messages.some(({ itemStart, itemEnd }) => {
    return itemEnd > itemStart && items.slice(itemStart, itemEnd).every(({ kind }) => kind === "thinking");
  });
}

/** True for thinking that is no part of the prompt: left out, or dropped by the provider. */
export function goneThinking(
  { transcript }: Pick<WireSource, "transcript">,
  { stripped, isDropping }: ThinkingStanding,
  decisions: Iterable<Decision>,
): (item: Item) => boolean {
  if (!isDropping) return ({ key }) => stripped.has(key);
  const unfit = new Set<ItemKey>();
  for (const { thinkingBehind, moment } of decisions) {
    if (thinkingBehind !== null && rewrites(moment) && !stripped.has(thinkingBehind)) unfit.add(thinkingBehind);
  }
  // What does not fit goes, and all thinking behind it.
  const first = transcript.items.findIndex(({ key }) => unfit.has(key));
  const dropped = new Set(first === -1 ? [] : transcript.items.slice(first).map(({ key }) => key));
  return ({ kind, key }) => kind === "thinking" && (stripped.has(key) || dropped.has(key));
}

/** What the decisions of a request take of thinking, as edits; none where none of them stands in front of any. */
export function thinkingEditsFor(way: ThinkingWay | null, decisions: readonly Decision[]): Script {
  const isTouched = decisions.some(({ thinkingBehind, moment }) => thinkingBehind !== null && rewrites(moment));
  if (way === null || !isTouched) return [];
  if (way.kind === "strip") return way.keys.map((itemKey) => ({ kind: "omit", itemKey }));
  return way.isOn ? [] : [{ kind: "drop-thinking" }];
}

/** What a lineage replays of that on every later request. */
export function pinnedThinking(
  { transcript, takesDrop }: Pick<WireSource, "transcript" | "takesDrop">,
  { stripped, isDropping }: ThinkingStanding,
  { model, settledCount }: Pick<WayGround, "model" | "settledCount">,
): Script {
  if (stripped.size === 0 && !isDropping) return [];
  const binds = model.thinkingBinding === "prefix";
  // A request that cannot ask for it sends none of what may not fit: thinking may be missing from the start.
  const sendsNone = isDropping && binds && !takesDrop;
  const omitted = transcript.items.filter(
    ({ kind, key }, index) => kind === "thinking" && (stripped.has(key) || (sendsNone && index < settledCount)),
  );
  const omits = omitted.map(({ key }) => ({ kind: "omit", itemKey: key }) as const);
  return isDropping && binds && takesDrop ? [...omits, { kind: "drop-thinking" }] : omits;
}
