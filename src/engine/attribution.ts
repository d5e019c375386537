import type { MissCause, Prediction, Verdict } from "../model/prediction.ts";
import type { RequestParts } from "../model/transcript.ts";
import type { Usage } from "../model/usage.ts";
import { COLD_SLACK_MS } from "./moment.ts";
import { compareRead } from "./prediction.ts";

/** What a request states that explains a read. */
export interface StatedRequest {
  readonly model: string | null;
  readonly parts: RequestParts;
  readonly turn: number;
  /** Images and documents that the client sends. */
  readonly mediaCount: number;
}

/** What is known of a request and of what happened to the conversation since the one before. */
export interface AttributedRequest extends StatedRequest {
  /** Thinking that an earlier request held is no longer there. */
  readonly hasLostThinking: boolean;
  /** Thinking stands in the part that was sent before. */
  readonly hasSentThinking: boolean;
  /** The client changed or left out an item that was sent before. */
  readonly isHistoryEdited: boolean;
  /** Ebb newly changed items that were sent before. */
  readonly isChangedByEbb: boolean;
  /** Of the prefix that was to be read; null where there is none. */
  readonly age: CacheAge | null;
  /** Of the longest prefix that is on record as expired; null where there is none. */
  readonly lapsed: CacheAge | null;
}

/** Time since a prefix was last used, and how long it was asked to live. */
export interface CacheAge {
  readonly sinceMs: number;
  readonly ttlMs: number;
}

export interface AttributionInput {
  /** The request before on this lineage; null where it is not known. */
  readonly previous: StatedRequest | null;
  readonly request: AttributedRequest;
  readonly prediction: Prediction;
  /** Null where the response carried none. */
  readonly usage: Usage | null;
  /** Shortest prefix that the provider caches. */
  readonly cacheTokensMin: number;
}

/** What came of a prediction, and the cause where it failed: only what is known to have happened explains anything. */
export function verdictOf(input: AttributionInput): Verdict {
  const { prediction, usage } = input;
  if (usage === null) return "unjudged";
  if (reportsNothing(input, usage)) return "none reported";
  const comparison = compareRead(prediction, usage);
  if (comparison === "held" || comparison === "unjudged") return comparison;
  return comparison === "less" ? causeOfLess(input) : causeOfMore(input.request);
}

/**
 * Something was to be cached and was long enough, and neither a read nor a write is told of. What was counted once is judged. Who
 * caches by itself tells of no writes, and only of reads where it tells anything.
 */
function reportsNothing({ prediction, cacheTokensMin }: AttributionInput, usage: Usage): boolean {
  if (usage.cacheReadTokens + usage.cacheWriteTokens > 0) return false;
  if (prediction.stepTokens !== undefined) return prediction.place === "entry";
  if (prediction.place === "nothing" || (prediction.place === "entry" && prediction.isExact)) return false;
  return usage.inputTokens >= cacheTokensMin && cacheTokensMin > 0;
}

function causeOfLess({ previous, request }: AttributionInput): MissCause {
  if (previous !== null) {
    const changed = changedPart(previous, request);
    if (changed !== null) return changed;
  }
  if (request.hasLostThinking) return "thinking changed";
  // Some models keep nothing of the messages where an image comes or goes.
  const hasOtherMedia = previous !== null && previous.mediaCount !== request.mediaCount;
  if (request.isHistoryEdited || hasOtherMedia) return "client edited history";
  if (isNearEnd(request.age)) return "ttl";
  if (request.isChangedByEbb) return "ours";
  // Some models forget the thinking of earlier turns once a person speaks again.
  const isNewTurn = previous !== null && request.turn > previous.turn;
  return isNewTurn && request.hasSentThinking ? "thinking changed" : "unknown";
}

/** Nothing that a client changes makes the provider hold more. */
function causeOfMore(request: AttributedRequest): MissCause {
  if (isNearEnd(request.lapsed)) return "ttl";
  return request.isChangedByEbb ? "ours" : "hidden request";
}

function changedPart(previous: StatedRequest, request: StatedRequest): MissCause | null {
  const [then, now] = [previous.parts, request.parts];
  if (previous.model !== request.model) return "model";
  if (then.tools !== now.tools || then.toolChoice !== now.toolChoice) return "tools";
  if (then.system !== now.system) return "system";
  return then.thinking !== now.thinking || then.effort !== now.effort ? "thinking changed" : null;
}

/** About the end of a lifetime nobody knows which clock the provider went by. */
function isNearEnd(age: CacheAge | null): boolean {
  return age !== null && Math.abs(age.sinceMs - age.ttlMs) < COLD_SLACK_MS;
}
