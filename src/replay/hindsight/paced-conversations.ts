import type { ModelFacts } from "../../model/cache.ts";
import type { JsonObject } from "../../model/json.ts";
import { createRememberingCounter } from "../analyze/remembering-counter.ts";
import { type AnalysisParts, understandHistory } from "../analyze/understood-history.ts";
import { type BlockSizes, createBlockSizes } from "../block-sizes.ts";
import { tokensOfValue } from "../readers/block-tokens.ts";
import { recordedPrompt } from "../recorded-prompt.ts";
import type { RecordedContext, RecordedRequest, Recording } from "../recording.ts";
import { LIFETIME_1H_MS } from "../simulated/breakpoints.ts";
import { emptyCache, type PromptCache, serve } from "../simulated/cache.ts";
import type { ModelTraits } from "../simulated/prompt.ts";
import { inTimeOrder, type Timed } from "../time-order.ts";
import type { PacedRequest, StaleRead } from "./schedule.ts";

/** What conversations are read and paced with. */
export interface PaceParts {
  readonly analysis: AnalysisParts;
  readonly traitsOf: (model: string | null) => ModelTraits;
  readonly factsOf: (model: string | null) => ModelFacts;
  /** Only originals of strictly more estimated tokens may leave. */
  readonly minTokens: number;
}

/** One recorded request, paced. */
export interface RecordedPace extends PacedRequest {
  readonly atMs: number;
  readonly model: string | null;
  /** Its last breakpoint asks for an entry that lives an hour. */
  readonly isHourLong: boolean;
  /** Messages from each stale or superseded read to what made it one, by call id. */
  readonly distances: ReadonlyMap<string, Distance>;
}

/** How far behind a read its evidence stands. */
export interface Distance {
  readonly by: "change" | "read";
  readonly messages: number;
}

/**
 * The conversations of a recording as schedules see them: served unedited, in order and at their recorded times, from the simulated
 * cache, with the reads that each request shows to be stale or superseded.
 */
export function pacedConversations(recording: Recording, given: PaceParts): readonly (readonly RecordedPace[])[] {
  const counter = createRememberingCounter(given.analysis.counter);
  const parts = { ...given, analysis: { ...given.analysis, counter } };
  const sizes = createBlockSizes({ counter, traitsOf: parts.traitsOf });
  const conversations = new Map<RecordedContext, RecordedPace[]>(recording.contexts.map((context) => [context, []]));
  let cache: PromptCache = emptyCache;
  for (const timed of inTimeOrder(recording.contexts)) {
    const paced = pace(timed, cache, sizes, parts);
    cache = paced.cache;
    conversations.get(timed.context)?.push(paced.request);
  }
  return Array.from(conversations.values());
}

function pace(
  { context, request, atMs }: Timed,
  cache: PromptCache,
  sizes: BlockSizes,
  parts: PaceParts,
): { readonly cache: PromptCache; readonly request: RecordedPace } {
  const { counter } = parts.analysis;
  const sizeOf = sizes.of(context) ?? ((block: JsonObject) => tokensOfValue(counter, block));
  const { prompt, callIds } = recordedPrompt(request.wire, request.body, {
    traits: parts.traitsOf(request.model),
    counter,
    sizeOf,
    isDropped: () => false,
  });
  const served = serve(cache, prompt, { atMs, tokensMin: parts.factsOf(request.model).cacheTokensMin });
  const blocks = prompt.positions.map(({ tokens }, index) => ({
    callId: callIds[index] ?? null,
    tokens: tokens - (prompt.positions[index - 1]?.tokens ?? 0),
  }));
  const readBlocks = served.readUpTo === null ? 0 : served.readUpTo + 1;
  const lifetimeMs = prompt.positions.findLast((position) => position.lifetimeMs !== null)?.lifetimeMs ?? 0;
  const place = { atMs, model: request.model, isHourLong: lifetimeMs >= LIFETIME_1H_MS };
  return { cache: served.cache, request: { ...place, blocks, readBlocks, ...staleReads(request, parts) } };
}

function staleReads(
  request: RecordedRequest,
  { analysis, minTokens }: PaceParts,
): Pick<RecordedPace, "stale" | "distances"> {
  const stale = new Map<string, StaleRead>();
  const distances = new Map<string, Distance>();
  const outcome = understandHistory(request.body, request.wire, analysis);
  if (!outcome.ok) return { stale, distances };
  const { reads, results, source } = outcome.history;
  const messageOf = new Map(source.transcript.items.map(({ key, messageIndex }) => [key, messageIndex]));
  for (const result of results.values()) {
    const fact = reads.get(result.key);
    const evidence = fact?.stale ?? fact?.superseded ?? null;
    if (fact === undefined || evidence === null || fact.mediaCount > 0) continue;
    const tokens = analysis.counter.count(source.textOf(result));
    stale.set(result.callId, {
      tokens,
      mayLeave: tokens > minTokens && !fact.isLoadBearing && !fact.isUnchangedStub,
    });
    const messages = (messageOf.get(evidence.itemKey) ?? result.messageIndex) - result.messageIndex;
    distances.set(result.callId, { by: fact.stale === null ? "read" : "change", messages });
  }
  return { stale, distances };
}
