import { cacheLifetimeOf } from "../engine/cache-lifetime.ts";
import { LIFETIME_MAX_MS } from "../engine/caches.ts";
import { COLD_SLACK_MS } from "../engine/moment.ts";
import { pricesAt } from "../engine/price.ts";
import type { ModelFacts, Prices } from "../model/cache.ts";
import type { ReplaySettings } from "./lane.ts";
import type { RecordedRequest, Recording } from "./recording.ts";
import { replayRecording } from "./replay.ts";
import type { InputBill } from "./simulated/cache.ts";
import { promptTokensOf } from "./simulated/price.ts";
import { inTimeOrder, type Timed } from "./time-order.ts";

/** The tokens of one prompt, and what they cost when all are written to the cache, and when all are read from it; null: no price on record. */
export interface ColdPrompt {
  readonly tokens: number;
  readonly write_usd: number | null;
  readonly read_usd: number | null;
}

/** One request as it would be on a cold cache. It stands for that request alone: what left before it would have left in another way. */
export interface ColdFigures {
  readonly file: string;
  readonly request: number;
  /** Items that leave in this request. */
  readonly released: number;
  readonly before: ColdPrompt;
  readonly after: ColdPrompt;
}

export type ColdOutcome =
  | { readonly ok: true; readonly figures: ColdFigures }
  /** The recording has no such request, or it could not be sent. */
  | { readonly ok: false; readonly words: string };

/**
 * Replays a recording up to request `number`, which comes so late that nothing of its conversation is cached any more. Everything before
 * it comes at its recorded time.
 */
export async function coldAt(recording: Recording, number: number, settings: ReplaySettings): Promise<ColdOutcome> {
  const timed = inTimeOrder(recording.contexts);
  const cold = timed[number - 1];
  if (cold === undefined) {
    return { ok: false, words: `has ${timed.length} requests, expected one of them, got ${number}` };
  }
  const facts = settings.providerOf(cold.request.wire, cold.request.model).modelFacts(cold.request.model);
  const late = withPause(recording, timed.slice(number - 1), pauseMs(facts));
  const { requests } = await replayRecording(late, settings, { last: number });
  const replayed = requests.at(-1);
  if (replayed === undefined || replayed.plan === null) {
    return { ok: false, words: `request ${number}: ${replayed?.problem ?? "was not replayed"}` };
  }
  const promptOf = (bill: InputBill) => coldPrompt(bill, pricesAt(facts, promptTokensOf(bill), replayed.atMs));
  return {
    ok: true,
    figures: {
      file: recording.file,
      request: number,
      released: replayed.plan.fresh.length,
      before: promptOf(replayed.baselineBill),
      after: promptOf(replayed.bill),
    },
  };
}

/** Longer than any entry of its cache lives. */
function pauseMs(facts: ModelFacts): number {
  return (cacheLifetimeOf({ cacheTtlMs: LIFETIME_MAX_MS }, facts) ?? LIFETIME_MAX_MS) + COLD_SLACK_MS;
}

/** The recording with a pause before these requests, which are its last ones. */
function withPause(recording: Recording, late: readonly Timed[], pause: number): Recording {
  const times = new Map(late.map(({ request, atMs }) => [request, atMs + pause]));
  const contexts = recording.contexts.map((context) => ({
    ...context,
    requests: context.requests.map((request) => atTime(request, times.get(request) ?? request.atMs)),
  }));
  return { ...recording, contexts };
}

function atTime(request: RecordedRequest, atMs: number | null): RecordedRequest {
  const { model, messageId, usage, isLive, wire } = request;
  return {
    ...{ atMs, model, messageId, usage, isLive, wire },
    messages: () => request.messages(),
    get body() {
      return request.body;
    },
  };
}

const TOKENS_PER_PRICE = 1_000_000;

function coldPrompt(bill: InputBill, prices: Prices | null): ColdPrompt {
  const tokens = promptTokensOf(bill);
  if (prices === null) return { tokens, write_usd: null, read_usd: null };
  const write = bill.cacheWrite1hTokens > 0 ? prices.cacheWrite1h : prices.cacheWrite5m;
  return {
    tokens,
    write_usd: (tokens * write) / TOKENS_PER_PRICE,
    read_usd: (tokens * prices.cacheRead) / TOKENS_PER_PRICE,
  };
}
