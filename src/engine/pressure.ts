import type { Prices } from "../model/cache.ts";
import type { BatchGround, WaitingItem } from "./batch.ts";

/** Share of the window from which it counts as nearly full. */
const NEARLY_FULL = 0.9;
/** A batch leaves room below the mark where it can, so that the next requests do not need one each. */
const SLACK = 0.9;
/** What stands in the prompt soon after a client's compaction, what is acquired again among it, and how long the summary is. */
const COMPACTED_SHARE = 0.4;
const SUMMARY_TOKENS = 4_000;
/** Requests in which the agent acquires again what the summary lost. */
const REQUESTS_AGAIN = 5;

/** Prices as multiples of the input price, where none is on record. Source: the provider's prompt caching page. */
const RATIOS: Prices = { input: 1, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1, output: 5 };

/** What the pressure on a window is judged with. */
export interface PressureGround extends Omit<BatchGround, "requestsExpected" | "attentionPrice"> {
  /** The most tokens a prompt and its answer may have together; null where that is not known. */
  readonly windowTokens: number | null;
}

/**
 * Where the smallest batch begins that brings the prompt well under the mark at which the window is nearly full, or else just under it,
 * if that costs no more than the compaction that would come instead; null where the window is not nearly full, no batch suffices, or it
 * is dearer.
 */
export function pressedBatch(
  waiting: readonly WaitingItem[],
  ground: PressureGround,
  pressureTokens: number | null,
): number | null {
  const { promptTokens, windowTokens } = ground;
  const mark = pressureTokens ?? (windowTokens === null ? 0 : NEARLY_FULL * windowTokens);
  if (mark === 0 || promptTokens <= mark) return null;
  return smallestUnder(SLACK * mark, waiting, ground) ?? smallestUnder(mark, waiting, ground);
}

/** Where the smallest batch begins that brings the prompt there, if it is cheaper than a compaction. */
function smallestUnder(mark: number, waiting: readonly WaitingItem[], ground: PressureGround): number | null {
  const { promptTokens, heldCount } = ground;
  let freed = 0;
  let freedHeld = 0;
  for (const { index, freedTokens, isInner } of waiting.toReversed()) {
    freed += freedTokens;
    if (index < heldCount) freedHeld += freedTokens;
    if (isInner === true || promptTokens - freed > mark) continue;
    const rewritten = ground.lostBefore(index) + Math.max(0, ground.tokensBetween(index, heldCount) - freedHeld);
    return isCheaper(rewritten, ground) ? index : null;
  }
  return null;
}

/** A compaction reads the prompt, answers with a summary, writes what is left of it, and the agent reads again what it lost. */
function isCheaper(rewritten: number, ground: PressureGround): boolean {
  const { promptTokens, isLongLived } = ground;
  const prices = ground.pricesOf(promptTokens) ?? RATIOS;
  const write = isLongLived ? prices.cacheWrite1h : prices.cacheWrite5m;
  const compacted = COMPACTED_SHARE * promptTokens;
  const compaction =
    prices.cacheRead * (promptTokens + REQUESTS_AGAIN * compacted) + prices.output * SUMMARY_TOKENS + write * compacted;
  return (write - prices.cacheRead) * rewritten <= compaction;
}
