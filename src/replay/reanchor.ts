import { pricesAt } from "../engine/price.ts";
import { understandHistory } from "./analyze/understood-history.ts";
import {
  type Distance,
  type PaceParts,
  pacedConversations,
  type RecordedPace,
} from "./hindsight/paced-conversations.ts";
import { readPaths } from "./hindsight/read-paths.ts";
import type { Recording } from "./recording.ts";

/** What writing stale reads out of the cached prefix costs once, and saves from then on. Tokens are the provider's; a null is unknown. */
export interface ReanchorCost {
  /** Cached tokens behind the reads that are written again. */
  readonly reanchored_tokens: number;
  readonly reanchor_cost_usd: number | null;
  readonly saved_tokens_per_request: number;
  readonly saved_usd_per_request: number | null;
  /** Requests after which the saving has paid for the writing; null where it never does, or a price is unknown. */
  readonly break_even_requests: number | null;
}

/** What one recorded session shows of stale reads. */
export interface ReanchorFigures extends ReanchorCost {
  readonly file: string;
  readonly requests: number;
  readonly turns: number;
  /** Reads that an edit made stale while they were sent. */
  readonly stale_transitions: number;
  /** Messages between a read and the edit that made it stale; null without any. */
  readonly distance_mean: number | null;
  readonly distance_max: number | null;
  /** The same reads, written out together at the request where the last of them becomes stale: one batch a conversation. */
  readonly batch: ReanchorCost;
}

/** Tokens that stand where a read stood. */
export const MARKER_TOKENS = 60;

/**
 * What it would cost to write every stale read out of a session as soon as it is stale, each by itself, and all of them as one batch.
 * Nothing in front of a read is counted as lost: this is the least that it costs.
 */
export function reanchorFigures(recording: Recording, parts: PaceParts): ReanchorFigures {
  const conversations = pacedConversations(recording, parts).map((requests) => transitionsOf(requests));
  const distances = conversations.flatMap(({ transitions }) => transitions.map(({ distance }) => distance.messages));
  const singly = conversations.flatMap(({ requests, transitions }) =>
    transitions.map((transition) => rewriteOf(requests, transition.staleAt, [transition], parts)),
  );
  return {
    file: recording.file,
    requests: conversations.reduce((count, { requests }) => count + requests.length, 0),
    turns: turnsOf(recording, parts),
    stale_transitions: distances.length,
    distance_mean: distances.length === 0 ? null : distances.reduce((sum, one) => sum + one, 0) / distances.length,
    distance_max: distances.length === 0 ? null : Math.max(...distances),
    ...costOf(singly),
    batch: costOf(conversations.flatMap((conversation) => batchOf(conversation, parts) ?? [])),
  };
}

/** A read and the request in which it is first stale. */
interface Transition {
  readonly callId: string;
  readonly staleAt: number;
  readonly distance: Distance;
}

interface Conversation {
  readonly requests: readonly RecordedPace[];
  readonly transitions: readonly Transition[];
}

function transitionsOf(requests: readonly RecordedPace[]): Conversation {
  const paths = readPaths(requests, { read: 1, write: 1, markerTokens: MARKER_TOKENS });
  const transitions = paths.flatMap(({ callId }): readonly Transition[] => {
    const staleAt = requests.findIndex((request) => isEdited(request, callId));
    const distance = requests[staleAt]?.distances.get(callId);
    return distance === undefined ? [] : [{ callId, staleAt, distance }];
  });
  return { requests, transitions };
}

function isEdited({ stale, distances }: RecordedPace, callId: string): boolean {
  return stale.get(callId)?.mayLeave === true && distances.get(callId)?.by === "change";
}

function batchOf({ requests, transitions }: Conversation, parts: PaceParts): Rewrite | null {
  if (transitions.length === 0) return null;
  return rewriteOf(requests, Math.max(...transitions.map(({ staleAt }) => staleAt)), transitions, parts);
}

interface Rewrite {
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly savedTokens: number;
  readonly savedUsd: number | null;
}

/** What one request costs more when these reads leave in it, and each later one less. */
function rewriteOf(
  requests: readonly RecordedPace[],
  at: number,
  leaving: readonly Transition[],
  { factsOf }: PaceParts,
): Rewrite {
  const callIds = new Set(leaving.map(({ callId }) => callId));
  const request = requests[at];
  const blocks = request?.blocks ?? [];
  const leaves = blocks.map(({ callId }) => callId !== null && callIds.has(callId));
  const savedTokens = blocks.reduce((sum, { tokens }, index) => {
    return leaves[index] === true ? sum + Math.max(0, tokens - MARKER_TOKENS) : sum;
  }, 0);
  const behind = leaves.includes(true) ? blocks.slice(leaves.indexOf(true), request?.readBlocks) : [];
  const tokens = behind.reduce((sum, block) => {
    return sum + (callIds.has(block.callId ?? "") ? Math.min(block.tokens, MARKER_TOKENS) : block.tokens);
  }, 0);
  const promptTokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
  const prices = request === undefined ? null : pricesAt(factsOf(request.model), promptTokens, request.atMs);
  if (prices === null) return { tokens, costUsd: null, savedTokens, savedUsd: null };
  const write = request?.isHourLong === true ? prices.cacheWrite1h : prices.cacheWrite5m;
  return {
    tokens,
    costUsd: ((write - prices.cacheRead) * tokens) / TOKENS_PER_PRICE,
    savedTokens,
    savedUsd: (prices.cacheRead * savedTokens) / TOKENS_PER_PRICE,
  };
}

const TOKENS_PER_PRICE = 1_000_000;

function costOf(rewrites: readonly Rewrite[]): ReanchorCost {
  const costUsd = sumOrNull(rewrites.map((one) => one.costUsd));
  const savedUsd = sumOrNull(rewrites.map((one) => one.savedUsd));
  const paysBack = costUsd !== null && savedUsd !== null && savedUsd > 0;
  return {
    reanchored_tokens: rewrites.reduce((sum, { tokens }) => sum + tokens, 0),
    reanchor_cost_usd: costUsd,
    saved_tokens_per_request: rewrites.reduce((sum, { savedTokens }) => sum + savedTokens, 0),
    saved_usd_per_request: savedUsd,
    break_even_requests: paysBack ? costUsd / savedUsd : null,
  };
}

function sumOrNull(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}

/** Turns of the main conversation, across the client's compactions. */
function turnsOf(recording: Recording, { analysis }: PaceParts): number {
  const main = recording.contexts.find(({ kind }) => kind === "main") ?? recording.contexts[0];
  const outcome = main === undefined ? null : understandHistory(main.history("all"), main.wire, analysis);
  return outcome?.ok === true ? outcome.history.observations.turns : 0;
}
