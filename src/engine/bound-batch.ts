import type { ItemKey } from "../model/item.ts";
import type { View } from "../model/view.ts";
import type { WaitingItem } from "./batch.ts";
import type { Ground } from "./batch-ground.ts";

/** Signed thinking that leaves with what is released in front of it, as a batch counts it. */
export interface ThinkingInBatch {
  /** True for an item that can only leave with thinking which the provider may still hold. */
  isDear(index: number): boolean;
  /** The priced items with the thinking that leaves with them, in the order of their places. `free` ones act in any case. */
  joined<Placed extends WaitingItem>(
    priced: readonly Placed[],
    free: readonly Placed[],
  ): readonly (Placed | ThinkingItem)[];
  /** It can only leave now: the next request is in the middle of a round. */
  readonly isNowOrNever: boolean;
}

/** Thinking among what a batch frees. */
export interface ThinkingItem extends WaitingItem {
  readonly waiting: null;
}

const NONE: ThinkingInBatch = { isDear: () => false, joined: (priced) => priced, isNowOrNever: false };

/** What this request changes in any case, and thinking that leaves with it. */
export function changedWithThinking(changed: ReadonlySet<ItemKey>, view: View): ReadonlySet<ItemKey> {
  const { thinkingWay: way } = view;
  if (way?.kind !== "strip") return changed;
  const isTaken = Array.from(changed, view.itemOf).some((item) => item !== null && view.thinkingBehind(item) !== null);
  return isTaken ? new Set([...changed, ...way.keys]) : changed;
}

/**
 * Where all thinking leaves together, a batch that needs it to begins no later than with its first block. Where the provider drops it,
 * what stands behind the first release is dropped.
 */
export function thinkingInBatch(view: View, ground: Ground, changed: ReadonlySet<ItemKey>): ThinkingInBatch {
  const { thinkingWay: way, transcript } = view;
  if (way === null) return NONE;
  const thinking = transcript.items.flatMap((item, index): readonly ThinkingItem[] => {
    if (item.kind !== "thinking" || view.isGone(item)) return [];
    return [{ waiting: null, index, freedTokens: ground.sizes.rate * view.tokensOf(item), isStale: false }];
  });
  const [first, last] = [thinking[0]?.index ?? 0, thinking.at(-1)?.index ?? 0];
  const isBound = ({ index }: Pick<WaitingItem, "index">) => index < last;
  const isStrip = way.kind === "strip";

  function isJoining({ index }: ThinkingItem, priced: readonly WaitingItem[], takenFrom: number): boolean {
    if (isStrip) return takenFrom === Number.POSITIVE_INFINITY && priced.some(isBound);
    return index < takenFrom && priced.some((one) => one.index < index);
  }

  return {
    isDear: (index) => isStrip && first < ground.heldCount && isBound({ index }),
    isNowOrNever: isStrip,
    joined(priced, free) {
      const certain = [...free.map(({ index }) => index), ...Array.from(changed, ground.indexOf)];
      const takenFrom = Math.min(...certain.filter((index) => isBound({ index })));
      const joining = thinking.filter((one) => isJoining(one, priced, takenFrom));
      if (joining.length === 0) return priced;
      const isInner = (index: number) => isStrip && index > first && index <= last;
      return [
        ...priced.map((one) => ({ ...one, isInner: isInner(one.index) })),
        ...joining.map((one) => ({ ...one, isInner: !isStrip || isInner(one.index) })),
      ].sort((one, other) => one.index - other.index);
    },
  };
}
