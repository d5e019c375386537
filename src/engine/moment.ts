import type { Moment, Proposal } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { View } from "../model/view.ts";
import { takesHeldThinking } from "./bound-moments.ts";
import { leavesWhole } from "./cache-edit-placement.ts";

/** The moment that lets a proposal act in this request; null when it must wait. */
export function momentOf(proposal: Proposal, item: Item, view: View): Moment | null {
  const free = freeMomentOf(proposal, item, view);
  // A request over the provider's limits fails for certain, whatever its prefix costs.
  if (free === null && proposal.reason === "over_budget") return "limit";
  return free === null && proposal.wish !== null && !proposal.waitsForFree ? "deliberate" : free;
}

function freeMomentOf(proposal: Proposal, item: Item, view: View): Moment | null {
  switch (view.exposureOf(item)) {
    case "new":
      return "first-send";
    case "sent":
      if (view.isCold && proposal.allowsCold) return "cold";
      return brokenMomentOf(proposal, item, view);
    case "unknown":
      return brokenMomentOf(proposal, item, view);
  }
}

function brokenMomentOf(proposal: Proposal, item: Item, view: View): Moment | null {
  if (view.isBroken(item) && proposal.allowsCold && !takesHeldThinking(item, view)) return "prefix-broken";
  if (canLeaveByDeletion(proposal, item, view)) return "native";
  return proposal.isForced ? "forced" : null;
}

/** A part that stays in view, or a text in the item's place, cannot be asked for. */
function canLeaveByDeletion(proposal: Proposal, item: Item, view: View): boolean {
  const isHeld = view.standingOf(item.key).state === "held";
  return proposal.allowsCold && isHeld && leavesWhole(proposal) && view.canDelete(item);
}

/** Slack after a cache entry's lifetime before it counts as expired, in milliseconds. */
export const COLD_SLACK_MS = 60_000;

/**
 * True when the provider's cache has certainly expired: `warmUntilMs` is the latest start of a request plus its cache
 * lifetime, null when no lifetime is on record (then nothing is known to have expired).
 */
export function isCold(warmUntilMs: number | null, nowMs: number): boolean {
  return warmUntilMs !== null && nowMs >= warmUntilMs + COLD_SLACK_MS;
}
