import type { ReadEvidence, ReadFact } from "../model/acquisition.ts";
import type { Decline, DeclineReason, MarkerMode, Proposal } from "../model/decision.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { Policy, PolicyOpinion } from "../model/ports.ts";
import type { View } from "../model/view.ts";

export interface ReadLifecycleOptions {
  /** Only originals of strictly more tokens are proposed. */
  readonly minTokens: number;
  readonly stale: boolean;
  readonly superseded: boolean;
  /** Propose the stale class at any depth. */
  readonly staleAtDepth: boolean;
  /** Propose already sent items once the cache has expired. */
  readonly coldCache: boolean;
  readonly markerMode: MarkerMode;
  /** Steps a path must have been left alone before its stale read is proposed; 0 for none. */
  readonly quietSteps: number;
}

const NAME = "readlifecycle";

/** Proposes reads that a later event of the same path made stale or superseded. A fresh read is never touched. */
export function createReadLifecycle(options: ReadLifecycleOptions): Policy {
  return { name: NAME, propose: (view) => opinionOn(view, options) };
}

function opinionOn(view: View, options: ReadLifecycleOptions): PolicyOpinion {
  const proposals: Proposal[] = [];
  const declines: Decline[] = [];
  const lastReleased = options.quietSteps === 0 ? new Map<string, number>() : lastReleasedSteps(view);
  for (const read of view.reads.values()) {
    const item = view.itemOf(read.resultKey);
    if (item === null || read.isUnchangedStub) continue;
    const isCovered = read.isCoveredLater && (lastReleased.get(read.path) ?? 0) <= read.step;
    const verdict = judgeRead({ ...read, isCoveredLater: isCovered }, item, view, options);
    if ("policy" in verdict && "markerMode" in verdict) proposals.push(verdict);
    else declines.push(verdict);
  }
  if (view.reads.size === 0) declines.push(declineOf(null, "no_file_reads", "the request holds no file reads"));
  return { proposals, declines };
}

/** By path, the step of the last read that was released: what covers an earlier one must be held. */
function lastReleasedSteps(view: View): ReadonlyMap<string, number> {
  const steps = new Map<string, number>();
  for (const { path, step, resultKey } of view.reads.values()) {
    if (view.standingOf(resultKey).state === "released") steps.set(path, Math.max(step, steps.get(path) ?? 0));
  }
  return steps;
}

function judgeRead(read: ReadFact, item: Item, view: View, options: ReadLifecycleOptions): Proposal | Decline {
  const cause = causeOf(read, options);
  if (cause === null) return declineOf(item.key, "fresh_read", freshWords(read));
  if (read.mediaCount > 0) return declineOf(item.key, "non_text_blocks", "an image read is never rewritten");
  if (view.standingOf(item.key).state === "held") {
    if (!view.exceedsTokens(item, options.minTokens)) {
      return declineOf(
        item.key,
        "below_min_tokens",
        `${view.tokensOf(item)} tokens, the minimum is ${options.minTokens}`,
      );
    }
    if (cause.reason === "stale" && read.quietSteps < options.quietSteps && !read.isCoveredLater) {
      return declineOf(item.key, "path_active", `${read.path} was used ${read.quietSteps} steps ago`);
    }
  }
  return {
    itemKey: item.key,
    policy: NAME,
    reason: cause.reason,
    markerMode: options.markerMode,
    evidenceKey: cause.evidence.itemKey,
    wish: null,
    waitsForFree: false,
    allowsCold: options.coldCache,
    isForced: options.staleAtDepth && cause.reason === "stale" && view.model.thinkingBinding !== "prefix",
  };
}

function causeOf(
  read: ReadFact,
  options: ReadLifecycleOptions,
): { readonly reason: "stale" | "superseded"; readonly evidence: ReadEvidence } | null {
  if (options.stale && read.stale !== null) return { reason: "stale", evidence: read.stale };
  if (options.superseded && read.superseded !== null) return { reason: "superseded", evidence: read.superseded };
  return null;
}

function freshWords(read: ReadFact): string {
  if (read.stale === null && read.superseded === null) return "not modified or read again since";
  return "its class is switched off";
}

function declineOf(itemKey: ItemKey | null, reason: DeclineReason, words: string): Decline {
  return { itemKey, policy: NAME, reason, words };
}
