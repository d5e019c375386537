import { createRememberingCounter } from "../analyze/remembering-counter.ts";
import { type Measured, promptTokensOf } from "../measured-prompt.ts";
import type { RecordedContext, Recording } from "../recording.ts";
import { emptyCache, type PromptCache, serve } from "../simulated/cache.ts";
import { inTimeOrder, type Timed } from "../time-order.ts";
import { type CheckCause, causeOf, type Difference, type ReadPlace } from "./cache-causes.ts";
import { type CheckParts, type Conversation, openConversation } from "./conversation.ts";

/** One recorded request with a usage: what it read from the provider's cache, and what it was predicted to read. */
export interface CheckedRequest {
  /** From 1, over all requests of the file in time order. */
  readonly number: number;
  readonly place: ReadPlace;
  readonly recordedRead: number;
  /** Size of the predicted prefix as the provider reported it when it was written; else as `fittedRead`. */
  readonly predictedRead: number;
  /** Size of the predicted prefix by the sizes fitted to the conversation's first samples. */
  readonly fittedRead: number;
  /** Differences as shares of the larger of the two, 0 to 1. */
  readonly predictedError: number;
  readonly fittedError: number;
  /** Null where the prediction is right within `CHECK_ERROR_MAX`. */
  readonly cause: CheckCause | null;
}

/** Up to this share of the larger one, two reads are the same. */
export const CHECK_ERROR_MAX = 0.01;

/**
 * Serves every request of a recording, unedited and at its recorded time, from the simulated cache, and compares where
 * its read ends with what the provider reported. Nothing recorded steers where it ends but times and lifetimes.
 */
export function checkCache(recording: Recording, parts: CheckParts): readonly CheckedRequest[] {
  const checked: CheckedRequest[] = [];
  const check = createCheck({ ...parts, counter: createRememberingCounter(parts.counter) });
  for (const [index, timed] of inTimeOrder(recording.contexts).entries()) {
    const one = check(timed, index + 1);
    if (one !== null) checked.push(one);
  }
  return checked;
}

function createCheck(parts: CheckParts): (timed: Timed, number: number) => CheckedRequest | null {
  const conversations = new Map<RecordedContext, Conversation>();
  const written = new Map<string, number>();
  let cache: PromptCache = emptyCache;
  return (timed, number) => {
    const { context, request, atMs } = timed;
    const conversation = conversations.get(context) ?? openConversation(context, parts);
    conversations.set(context, conversation);
    const measured = conversation.measure(request);
    const { cacheTokensMin: tokensMin } = parts.factsOf(request.model);
    const served = serve(cache, measured.prompt, { atMs, tokensMin });
    cache = served.cache;
    const { usage } = request;
    if (usage === null || promptTokensOf(request) === 0) return null;
    const predicted = predictedRead(measured, served.readUpTo, conversation, written);
    const isWrittenSize = Array.from(written.values()).includes(usage.cacheReadTokens);
    const last = measured.prompt.positions.findLast(({ lifetimeMs }) => lifetimeMs !== null);
    if (last !== undefined && !written.has(last.key)) {
      written.set(last.key, usage.cacheReadTokens + usage.cacheWriteTokens);
    }
    return checkedRequest(timed, number, { ...predicted, isWrittenSize }, conversation);
  };
}

interface PredictedRead {
  readonly place: ReadPlace;
  readonly predicted: number;
  readonly fitted: number;
}

function predictedRead(
  { prompt, headCount, headTokens }: Measured,
  readUpTo: number | null,
  { sizes }: Conversation,
  written: ReadonlyMap<string, number>,
): PredictedRead {
  const position = readUpTo === null ? undefined : prompt.positions[readUpTo];
  if (readUpTo === null || position === undefined) return { place: "nothing", predicted: 0, fitted: 0 };
  const head = Math.round(sizes.head ?? sizes.base);
  if (readUpTo < headCount) return { place: "head", predicted: head, fitted: head };
  const fitted = Math.round(sizes.base + sizes.rate * (position.tokens - headTokens));
  return { place: "request", predicted: written.get(position.key) ?? fitted, fitted };
}

function checkedRequest(
  timed: Timed,
  number: number,
  { place, predicted, fitted, isWrittenSize }: PredictedRead & { readonly isWrittenSize: boolean },
  conversation: Conversation,
): CheckedRequest {
  const recordedRead = timed.request.usage?.cacheReadTokens ?? 0;
  const predictedError = errorOf(recordedRead, predicted);
  return {
    number,
    place,
    recordedRead,
    predictedRead: predicted,
    fittedRead: fitted,
    predictedError,
    fittedError: errorOf(recordedRead, fitted),
    cause:
      predictedError <= CHECK_ERROR_MAX
        ? null
        : causeIn(timed, number, { place, predicted, isWrittenSize }, conversation),
  };
}

function causeIn(
  { context, request }: Timed,
  number: number,
  read: Pick<Difference, "place" | "predicted" | "isWrittenSize">,
  { measure, sizes, firstPromptTokens }: Conversation,
): CheckCause {
  const index = context.requests.indexOf(request);
  const before = context.requests[index - 1];
  const now = measure(request);
  const then = before === undefined ? null : measure(before);
  return causeOf({
    ...read,
    read: request.usage?.cacheReadTokens ?? 0,
    isFirstOfFile: number === 1,
    firstPrompt: firstPromptTokens,
    prompt: promptTokensOf(request),
    promptBefore: before === undefined ? null : promptTokensOf(before),
    hasGrown: then !== null && now.prompt.positions.length >= then.prompt.positions.length,
    hasOtherImages: then !== null && now.images !== then.images,
    head: sizes.head,
  });
}

function errorOf(left: number, right: number): number {
  const larger = Math.max(left, right);
  return larger === 0 ? 0 : Math.abs(left - right) / larger;
}
