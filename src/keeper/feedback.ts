import { type StatedRequest, verdictOf } from "../engine/attribution.ts";
import { requestsExpectedAfter } from "../engine/batch.ts";
import { type NetGround, netCostOf } from "../engine/net-cost.ts";
import type { Predicted } from "../engine/prediction.ts";
import { pricesAt } from "../engine/price.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import type { Moment } from "../model/decision.ts";
import type { Script } from "../model/edit.ts";
import type { NetCost, Verdict } from "../model/prediction.ts";
import type { Usage } from "../model/usage.ts";
import type { Draft, DraftInput } from "./draft.ts";
import type { Expectation } from "./expectation.ts";

/** What a usage told of one request. */
export interface Judged {
  readonly verdict: Verdict;
  readonly net: NetCost;
}

/** Judges usages by what was expected of their requests. */
export interface Feedback {
  /** Remembers what a request states, which explains the next one, and answers what judges its usage. Called as it is sent. */
  expect(input: DraftInput, draft: Draft, expectation: Expectation): (usage: Usage) => Judged;
}

const LINEAGES_MAX = 1_024;
const BYTES_PER_TOKEN = 4;
const HOUR_MS = 3_600_000;

/** Moments at which what is written again is expected to pay, and those at which it is written whatever it costs. */
const PAYING: ReadonlySet<Moment> = new Set(["pays", "pressure", "server-clear"]);
const UNPAID: ReadonlySet<Moment> = new Set(["limit", "deliberate", "forced"]);

/** Feedback that has seen no request yet. After a restart the first request of a lineage has none before it to be explained by. */
export function createFeedback(): Feedback {
  const statedBy = createBoundedMap<string, StatedRequest>(LINEAGES_MAX);
  return {
    expect(input, draft, expectation) {
      const { lineage, known } = input.placement;
      const previous = statedBy.get(known.id) ?? null;
      const { model, parts, turn, mediaCount } = expectation.request;
      statedBy.set(lineage.id, { model, parts, turn, mediaCount });
      return (usage) => {
        const { cacheTokensMin } = draft.view.model;
        const { prediction } = expectation.predicted;
        const verdict = verdictOf({ previous, request: expectation.request, prediction, usage, cacheTokensMin });
        return { verdict, net: netCostOf(netGround(input, draft, expectation, { usage, verdict })) };
      };
    },
  };
}

/** Shares of the prompt come from bytes; the provider's own count of it is their measure. */
function netGround(
  { source, request, expansion }: DraftInput,
  draft: Draft,
  expectation: Expectation,
  judged: { readonly usage: Usage; readonly verdict: Verdict },
): NetGround {
  const { view, extras, pinned } = draft;
  const { items, header } = source.transcript;
  const { itemTokens, headTokens, markedCount, sentCount } = expectation;
  const promptTokens = promptTokensOf(judged.usage);
  const counted = itemTokens.reduce((sum, tokens) => sum + tokens, headTokens);
  const rate = promptTokens === 0 || counted === 0 ? 1 : promptTokens / counted;
  const decisions = new Map(expectation.inForce.map((decision) => [decision.itemKey, decision]));
  const weighed = items.map((item, index) => {
    const sent = itemTokens[index] ?? 0;
    const decision = decisions.get(item.key);
    const isAdded = view.recalledFrom(item) !== null;
    const original = item.kind === "media" ? (decision?.originalTokens ?? sent) : item.bytes / BYTES_PER_TOKEN;
    const saved = decision === undefined || isAdded ? 0 : original - sent;
    return { sentTokens: sent * rate, savedTokens: saved * rate, isAdded };
  });
  const results = items.flatMap(({ kind }, index) => (kind === "result" && index >= sentCount ? [weighed[index]] : []));
  const offered = Buffer.byteLength(expansion.offer?.json ?? "") / BYTES_PER_TOKEN;
  // Tools stand in front of everything: where anything was read, so were they.
  const isHeadRead = judged.usage.cacheReadTokens > 0;
  const isRecallRound = results.length > 0 && results.every((one) => one?.isAdded === true);
  return {
    items: weighed,
    ...countsRead(expectation, judged),
    markedCount,
    insertedTokens: rate * (noteTokens(extras) + (isHeadRead ? 0 : offered)),
    repeatedTokens: rate * (noteTokens(pinned) + (isHeadRead ? offered : 0)),
    recallReadTokens: isRecallRound ? judged.usage.cacheReadTokens : 0,
    lostTokens: lostTokens(expectation, judged),
    payingRequests: payingRequests(draft),
    prices: pricesAt(view.model, promptTokens, request.atMs),
    isLongLived: (header.cacheTtlMs ?? 0) >= HOUR_MS,
  };
}

/** Requests within which the changes of this one are to pay; null where one of them is not there to pay. */
function payingRequests({ fresh, restored, view }: Draft): number | null {
  const moments = [...fresh, ...restored].map(({ moment }) => moment);
  const isPaying = moments.some((moment) => PAYING.has(moment)) && !moments.some((moment) => UNPAID.has(moment));
  return isPaying ? requestsExpectedAfter(view.clock.step) : null;
}

function noteTokens(script: Script): number {
  const bytes = script.map((edit) => (edit.kind === "note" ? Buffer.byteLength(edit.text) : 0));
  return bytes.reduce((sum, count) => sum + count, 0) / BYTES_PER_TOKEN;
}

/** Where nobody can tell, or more was read than was predicted, all that was sent before counts as read: then least is saved. */
function countsRead(
  { predicted, unchanged, sentCount, sameCount }: Expectation,
  { usage, verdict }: { readonly usage: Usage; readonly verdict: Verdict },
): Pick<NetGround, "readCount" | "readCountWithout"> {
  const { readTokens } = predicted.prediction;
  const isMore = verdict !== "held" && verdict !== "unjudged" && usage.cacheReadTokens > (readTokens ?? 0);
  if (isMore || verdict === "none reported") return { readCount: sentCount, readCountWithout: sentCount };
  return {
    readCount: countRead(predicted, Math.min(sentCount, sameCount)),
    readCountWithout: countRead(unchanged, sentCount),
  };
}

function countRead({ prediction, entry }: Predicted, otherwise: number): number {
  return prediction.place === "unknown" ? otherwise : (entry?.itemCount ?? 0);
}

/** What was to be read and was not, where that is Ebb's own doing. */
function lostTokens(
  { predicted }: Expectation,
  { usage, verdict }: { readonly usage: Usage; readonly verdict: Verdict },
): number {
  if (verdict !== "ours") return 0;
  return Math.max(0, (predicted.prediction.readTokens ?? 0) - usage.cacheReadTokens);
}

function promptTokensOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
