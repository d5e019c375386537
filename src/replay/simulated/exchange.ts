import type { ModelFacts } from "../../model/cache.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { TokenCounter } from "../../model/ports.ts";
import { planAnswer, shownThinking } from "./answer.ts";
import { type PromptCache, serve } from "./cache.ts";
import { stringOf } from "./json.ts";
import type { TokenBill } from "./price.ts";
import { type ModelTraits, type Prompt, promptOf } from "./prompt.ts";
import type { Refusal } from "./refusal.ts";
import type { Scenario } from "./scenario.ts";
import { type SigningPoint, signThinking, verifyThinking } from "./signature.ts";
import { validate } from "./validate.ts";

/** Models as data: the facts every part of Ebb knows, and the traits only an imitation needs. */
export interface SimulatedModels {
  readonly modelIds: readonly string[];
  modelFacts(model: string | null): ModelFacts;
  traitsOf(model: string | null): ModelTraits;
}

/** What does not change from request to request. */
export interface ExchangeRules {
  readonly models: SimulatedModels;
  readonly counter: TokenCounter;
  /** False: thinking blocks are taken as they come. */
  readonly signatures: boolean;
  /** Images and documents of one request. */
  readonly mediaMax: number;
}

/** What stands before one request. */
export interface ExchangeState {
  readonly scenario: Scenario;
  readonly cache: PromptCache;
  /** Unix time at which the request started. */
  readonly atMs: number;
}

export type Exchange =
  | { readonly ok: false; readonly refusal: Refusal }
  | {
      readonly ok: true;
      /** The whole answer in the API's shape. */
      readonly message: JsonObject;
      readonly bill: TokenBill;
      readonly cache: PromptCache;
      readonly advanceMs: number;
    };

/** Answers one parsed body. Pure: the same body in the same state is the same exchange. */
export function exchange(body: JsonValue, state: ExchangeState, rules: ExchangeRules): Exchange {
  const read = readRequest(body, "generate", rules);
  if (!read.ok) return read;
  const { request, facts, next } = read;
  const answer = planAnswer(state.scenario, request);
  const isSilent = request.max_tokens === 0;
  const content: JsonObject[] = [];
  const thinking = answer.thinking === null ? null : shownThinking(request, answer.thinking);
  if (thinking !== null) content.push({ type: "thinking", thinking, signature: signThinking(next, thinking) });
  if (answer.text !== null) content.push({ type: "text", text: answer.text });
  for (const { id, name, input } of answer.calls) content.push({ type: "tool_use", id, name, input });
  const served = serve(state.cache, read.prompt, { atMs: state.atMs, tokensMin: facts.cacheTokensMin });
  const outputTokens = isSilent ? 0 : rules.counter.count(JSON.stringify(content));
  const bill = { ...served.bill, outputTokens };
  const message: JsonObject = {
    id: answer.messageId,
    type: "message",
    role: "assistant",
    model: stringOf(request.model),
    content: isSilent ? [] : content,
    stop_reason: isSilent ? "max_tokens" : answer.calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: usageOf(bill),
  };
  return { ok: true, message, bill, cache: served.cache, advanceMs: answer.advanceMs };
}

export type Counted =
  | { readonly ok: true; readonly inputTokens: number }
  | { readonly ok: false; readonly refusal: Refusal };

/** Counts one parsed body's input tokens under the same checks. */
export function countTokens(body: JsonValue, rules: ExchangeRules): Counted {
  const read = readRequest(body, "count", rules);
  return read.ok ? { ok: true, inputTokens: read.prompt.tokens } : read;
}

/** A bill as the API's usage fields. */
export function usageOf(bill: TokenBill): JsonObject {
  return {
    input_tokens: bill.inputTokens,
    cache_creation_input_tokens: bill.cacheWrite5mTokens + bill.cacheWrite1hTokens,
    cache_read_input_tokens: bill.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: bill.cacheWrite5mTokens,
      ephemeral_1h_input_tokens: bill.cacheWrite1hTokens,
    },
    output_tokens: bill.outputTokens,
    service_tier: "standard",
  };
}

type ReadRequest =
  | { readonly ok: false; readonly refusal: Refusal }
  | {
      readonly ok: true;
      readonly request: JsonObject;
      readonly facts: ModelFacts;
      readonly prompt: Prompt;
      readonly next: SigningPoint;
    };

function readRequest(body: JsonValue, purpose: "generate" | "count", rules: ExchangeRules): ReadRequest {
  const validated = validate(body, purpose, {
    traitsOf: (model) => rules.models.traitsOf(model),
    mediaMax: rules.mediaMax,
  });
  if (!validated.ok) return validated;
  const { request } = validated;
  const model = stringOf(request.model);
  const facts = rules.models.modelFacts(model);
  const verified = verifyThinking(request, facts.thinkingBinding, rules.signatures);
  if (!verified.ok) return verified;
  const prompt = promptOf(request, {
    traits: rules.models.traitsOf(model),
    counter: rules.counter,
    isDropped: (messageIndex, blockIndex) => verified.dropped.has(`${messageIndex}.${blockIndex}`),
  });
  return { ok: true, request, facts, prompt, next: verified.next };
}
