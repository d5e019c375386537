import type { Proposal, ReleaseReason } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { Policy } from "../model/ports.ts";
import type { View } from "../model/view.ts";
import type { Wish } from "../model/wish.ts";

export interface DeliberateOptions {
  /** Wait for a moment that costs nothing instead of acting at the next request. */
  readonly whenFree: boolean;
}

const NAME = "deliberate";

/** Proposes what the agent or the user decided, until it is done: the last wish about an item counts. */
export function createDeliberate(options: DeliberateOptions): Policy {
  return {
    name: NAME,
    propose(view) {
      const proposals: Proposal[] = [];
      for (const item of view.transcript.items) {
        const wish = view.wishOf(item.key);
        if (wish !== null && !isDone(wish, item, view)) proposals.push(proposalOf(item, wish, options));
      }
      return { proposals, declines: [] };
    },
  };
}

function isDone(wish: Wish, item: Item, view: View): boolean {
  const standing = view.standingOf(item.key);
  if (wish.kind === "whole") return standing.state === "held";
  if (standing.state === "held") return false;
  const done = standing.decision.wish;
  if (wish.kind === "release") return done?.kind !== "keep";
  return done?.kind === "keep" && done.range.from === wish.range.from && done.range.to === wish.range.to;
}

const REASONS: Readonly<Record<Wish["kind"], ReleaseReason>> = { release: "let_go", keep: "kept", whole: "kept" };

function proposalOf(item: Item, wish: Wish, { whenFree }: DeliberateOptions): Proposal {
  return {
    itemKey: item.key,
    policy: NAME,
    reason: REASONS[wish.kind],
    markerMode: "full",
    evidenceKey: null,
    wish: wish,
    allowsCold: true,
    isForced: false,
    waitsForFree: whenFree,
  };
}
