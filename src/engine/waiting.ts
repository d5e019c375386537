import type { Candidate, Decline, Moment, ReleaseReason } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import type { View } from "../model/view.ts";
import { type BatchQuote, bestBatch, gainOf, quoteBatches, type WaitingItem } from "./batch.ts";
import { type Ground, groundOf } from "./batch-ground.ts";
import { quoteWords } from "./batch-words.ts";
import { changedWithThinking, type ThinkingItem, thinkingInBatch } from "./bound-batch.ts";
import type { Waiting } from "./judge.ts";
import type { Mark } from "./kept-prefix.ts";
import { pressedBatch } from "./pressure.ts";

/** When what was sent before may be written again for its price. */
export interface PayingOptions {
  /** Batches act where they bring more than they cost. */
  readonly pays: boolean;
  /** US dollars that a million stale tokens are worth each time they are not sent. */
  readonly attentionPrice: number;
  /** Prompt tokens from which the window counts as nearly full; null: nine tenths of the model's. 0: never. */
  readonly pressureTokens: number | null;
  /** A cache breakpoint may be put in front of a change at depth. */
  readonly marks: boolean;
}

/** What became of everything that lacked only a moment. */
export interface WaitingMoments {
  readonly acting: readonly { readonly candidate: Candidate; readonly moment: Moment }[];
  readonly declines: readonly Decline[];
  readonly breakpoint: Mark | null;
}

interface Placed extends WaitingItem {
  readonly waiting: Waiting;
}

/** What a batch is made of: what waits, and thinking that leaves with it. */
type Priced = Placed | ThinkingItem;

/** Reasons for which content competes with the task. */
export const STALE: ReadonlySet<ReleaseReason> = new Set(["stale", "superseded"]);

/**
 * Finds moments for what waits: free behind a change that writes the rest again anyway; as one batch where that pays or the window is
 * nearly full. `changed` holds the items that this request changes in any case.
 */
export function momentsOfWaiting(
  waiting: readonly Waiting[],
  changed: ReadonlySet<ItemKey>,
  view: View,
  options: PayingOptions,
): WaitingMoments {
  if (waiting.length === 0) return { acting: [], declines: [], breakpoint: null };
  const changing = changedWithThinking(changed, view);
  const ground = groundOf(view, changing, options);
  const thinking = thinkingInBatch(view, ground, changing);
  const placed = placedIn(waiting, ground, view);
  const isFree = ({ index }: Placed) => index >= ground.heldCount && !thinking.isDear(index);
  const free = placed.filter(isFree);
  const priced = thinking.joined(
    placed.filter((one) => !isFree(one)),
    free,
  );
  const acting = free.map(({ waiting: { candidate } }) => ({ candidate, moment: "prefix-broken" as const }));
  const freed = free.reduce((sum, { freedTokens }) => sum + freedTokens, 0);
  const { start, moment, quotes, breakpoint } = batchOf(
    priced,
    { ...ground, promptTokens: ground.promptTokens - freed },
    view,
    { ...options, marksAhead: !thinking.isNowOrNever },
  );
  const isActing = ({ index }: Priced) => start !== null && index >= start;
  const acted = priced.filter(isActing).flatMap(({ waiting: one }) => one ?? []);
  return {
    acting: [...acting, ...acted.map(({ candidate }) => ({ candidate, moment }))],
    declines: priced.flatMap((one, place) => (isActing(one) ? [] : declineOf(one, quoteAt(place, priced, quotes)))),
    breakpoint,
  };
}

/** In the order of their places, with what each saves in the provider's tokens. */
function placedIn(waiting: readonly Waiting[], { indexOf, sizes }: Ground, view: View): readonly Placed[] {
  const placed = waiting.map((one): Placed => {
    const { item, proposal } = one.candidate;
    const freedTokens = sizes.rate * tokensFreed(one.candidate, view);
    return { waiting: one, index: indexOf(item.key), freedTokens, isStale: STALE.has(proposal.reason) };
  });
  return placed.sort((left, right) => left.index - right.index);
}

/** What stands there now less what would; below zero for what is wanted back. */
function tokensFreed({ item, proposal, rendering }: Candidate, view: View): number {
  const standing = view.standingOf(item.key);
  const now = standing.state === "released" ? standing.decision.markerTokens : view.tokensOf(item);
  return now - (proposal.wish?.kind === "whole" ? view.tokensOf(item) : rendering().tokens);
}

interface Batch {
  /** Index of the first item that leaves; null for none. */
  readonly start: number | null;
  readonly moment: Extract<Moment, "pays" | "pressure">;
  /** What a batch from each item on comes to; null where that is not known or not asked. */
  readonly quotes: readonly BatchQuote[] | null;
  readonly breakpoint: Mark | null;
}

/**
 * The batch that pays now; or a mark for the next request, where a batch pays only, or pays more, if what stands in front of it is
 * kept; or what must leave because the window is nearly full.
 */
function batchOf(
  priced: readonly Priced[],
  ground: Ground,
  view: View,
  options: PayingOptions & { readonly marksAhead: boolean },
): Batch {
  const quotes = options.pays && view.cache.isKnown ? quoteBatches(priced, ground) : null;
  const now = quotes === null ? null : bestBatch(startsOf(priced, quotes));
  const mark = quotes === null || !options.marksAhead ? null : markFor(now, priced, ground);
  if (mark === null && now !== null) return { start: now.start, moment: "pays", quotes, breakpoint: keptBy(now.start) };
  const pressed = pressedBatch(priced, ground, options.pressureTokens);
  if (pressed === null) return { start: null, moment: "pays", quotes, breakpoint: mark };
  return { start: pressed, moment: "pressure", quotes, breakpoint: keptBy(pressed) };

  function keptBy(start: number): Mark | null {
    return ground.keeping.before(start).breakpoint;
  }
}

/** A mark for the next request, where waiting for it brings more than acting now. It costs nothing by itself. */
function markFor(now: BatchQuote | null, priced: readonly Priced[], ground: Ground): Mark | null {
  const marks = new Map(priced.map(({ index }) => [index, ground.keeping.markBefore(index)]));
  const lostBefore = (index: number) => {
    const mark = marks.get(index) ?? null;
    const now = ground.lostBefore(index);
    return mark === null ? now : Math.min(now, ground.tokensBetween(mark.itemCount, index));
  };
  const later = bestBatch(startsOf(priced, quoteBatches(priced, { ...ground, lostBefore }) ?? []));
  if (later === null) return null;
  const gained = gainOf(later) - later.savedUsd - (now === null ? 0 : gainOf(now));
  return gained > 0 ? (marks.get(later.start)?.breakpoint ?? null) : null;
}

/** Batches that begin where one can. */
function startsOf(priced: readonly Priced[], quotes: readonly BatchQuote[]): readonly BatchQuote[] {
  return quotes.filter((_, place) => priced[place]?.isInner !== true);
}

/** What the batch comes to with which an item would leave. */
function quoteAt(
  place: number,
  priced: readonly Priced[],
  quotes: readonly BatchQuote[] | null,
): BatchQuote | undefined {
  let start = place;
  while (start > 0 && priced[start]?.isInner === true) start--;
  return quotes?.[start];
}

function declineOf({ waiting }: Priced, quote: BatchQuote | undefined): readonly Decline[] {
  if (waiting === null) return [];
  const { decline } = waiting;
  const isPriced = quote !== undefined && quote.freedTokens > 0;
  return [isPriced ? { ...decline, reason: "does_not_pay", words: quoteWords(quote) } : decline];
}
