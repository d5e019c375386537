import type { ModelFacts } from "../../model/cache.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { TokenCounter } from "../../model/ports.ts";
import { planAnswer, shownThinking } from "./answer.ts";
import { CONTEXT_MANAGEMENT_BETA, THINKING_BINDING_BETA } from "./betas.ts";
import { mismatchAnswerOf, refuseBinding } from "./binding.ts";
import { type PromptCache, serve } from "./cache.ts";
import { CACHE_EDIT_SHAPE, type CacheEditShape } from "./cache-edits.ts";
import type { Clearing } from "./clearing.ts";
import { refuseContextEdits } from "./context-edits.ts";
import { stringOf } from "./json.ts";
import { messagesTalk } from "./messages-talk.ts";
import type { ModelTable, OtherModels } from "./models.ts";
import type { TokenBill } from "./price.ts";
import { type ModelTraits, type Prompt, promptOf } from "./prompt.ts";
import { invalid, type Refusal } from "./refusal.ts";
import { cacheEditsOf, type Scenario } from "./scenario.ts";
import { signThinking } from "./signature.ts";
import { type Verified, verifyThinking } from "./thinking.ts";
import { usageOf } from "./usage.ts";
import { validate } from "./validate.ts";

/** Models as data: the facts every part of Ebb knows, and the traits only an imitation needs. */
export interface SimulatedModels extends ModelTable {
  traitsOf(model: string | null): ModelTraits;
}

/** What does not change from request to request. */
export interface ExchangeRules {
  readonly models: SimulatedModels;
  /** Models of the other APIs; left out: each gets the same facts. */
  readonly otherModels?: OtherModels | undefined;
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
  /** Features the request switches on. */
  readonly betas: ReadonlySet<string>;
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
  const read = readRequest(body, "generate", state, rules);
  if (!read.ok) return read;
  const { request, facts, prompt, verified } = read;
  const windowTokens = state.scenario.windowTokens ?? facts.windowTokens;
  if (windowTokens !== null && prompt.tokens > windowTokens) {
    return { ok: false, refusal: invalid(`prompt is too long: ${prompt.tokens} tokens > ${windowTokens} maximum`) };
  }
  const answer = planAnswer(state.scenario, messagesTalk(request));
  const isSilent = request.max_tokens === 0;
  const content: JsonObject[] = [];
  const thinking = answer.thinking === null ? null : shownThinking(request, answer.thinking);
  if (thinking !== null) content.push({ type: "thinking", thinking, signature: signThinking(verified.next, thinking) });
  if (answer.text !== null) content.push({ type: "text", text: answer.text });
  for (const { id, name, input } of answer.calls) content.push({ type: "tool_use", id: `toolu_${id}`, name, input });
  const served = serve(state.cache, prompt, { atMs: state.atMs, tokensMin: facts.cacheTokensMin });
  const outputTokens = isSilent ? 0 : rules.counter.count(JSON.stringify(content));
  const bill = { ...served.bill, outputTokens };
  const message: JsonObject = {
    id: `msg_${answer.id}`,
    type: "message",
    role: "assistant",
    model: stringOf(request.model),
    content: isSilent ? [] : content,
    stop_reason: isSilent ? "max_tokens" : answer.calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: usageOf(bill, {
      figures: state.scenario.cacheFigures ?? "true",
      deletedTokens: read.cacheEdits === null ? null : prompt.deletedTokens,
    }),
    ...reportsOf(read, state.betas),
  };
  return { ok: true, message, bill, cache: served.cache, advanceMs: answer.advanceMs };
}

/** What the API tells beside the answer, where the request asked for it. */
function reportsOf({ request, prompt, verified }: ValidRequest, betas: ReadonlySet<string>): JsonObject {
  const transformations = verified.transformations.map((one): JsonObject => ({ ...one }));
  return {
    ...(betas.has(THINKING_BINDING_BETA) ? { input_transformations: transformations } : {}),
    ...(hasContextEdits(request) ? { context_management: { applied_edits: prompt.clearings.map(appliedEdit) } } : {}),
  };
}

function appliedEdit(clearing: Clearing): JsonObject {
  const cleared_input_tokens = clearing.tokens;
  return clearing.kind === "thinking"
    ? { type: "clear_thinking_20251015", cleared_thinking_turns: clearing.turns, cleared_input_tokens }
    : { type: "clear_tool_uses_20250919", cleared_tool_uses: clearing.uses, cleared_input_tokens };
}

function hasContextEdits(request: JsonObject): boolean {
  return request.context_management !== undefined && request.context_management !== null;
}

export type Counted =
  | {
      readonly ok: true;
      readonly inputTokens: number;
      /** Before anything is cleared; null where the request asks for no clearing. */
      readonly originalTokens: number | null;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** Counts one parsed body's input tokens under the same checks, however long it is. */
export function countTokens(
  body: JsonValue,
  state: Pick<ExchangeState, "scenario" | "betas">,
  rules: ExchangeRules,
): Counted {
  const read = readRequest(body, "count", state, rules);
  if (!read.ok) return read;
  const originalTokens = hasContextEdits(read.request) ? read.prompt.originalTokens : null;
  return { ok: true, inputTokens: read.prompt.tokens, originalTokens };
}

interface ValidRequest {
  readonly request: JsonObject;
  readonly facts: ModelFacts;
  readonly prompt: Prompt;
  readonly verified: Extract<Verified, { readonly ok: true }>;
  /** Null where this request may not delete from the cached prefix. */
  readonly cacheEdits: CacheEditShape | null;
}

type ReadRequest = { readonly ok: false; readonly refusal: Refusal } | ({ readonly ok: true } & ValidRequest);

function readRequest(
  body: JsonValue,
  purpose: "generate" | "count",
  { scenario, betas }: Pick<ExchangeState, "scenario" | "betas">,
  rules: ExchangeRules,
): ReadRequest {
  const shape = cacheEditsOf(scenario);
  const isOn = shape !== null && (shape.betaHeader === null || betas.has(shape.betaHeader));
  const cacheEdits = isOn ? shape : null;
  const validated = validate(body, purpose, {
    traitsOf: (model) => rules.models.traitsOf(model),
    mediaMax: rules.mediaMax,
    cacheEdits: { shape: shape ?? CACHE_EDIT_SHAPE, isOn },
  });
  if (!validated.ok) return validated;
  const { request } = validated;
  const model = stringOf(request.model);
  const facts = rules.models.modelFacts(model);
  const hasControls = betas.has(THINKING_BINDING_BETA);
  const refusal =
    refuseBinding(request, hasControls) ??
    refuseContextEdits(request, {
      isOn: betas.has(CONTEXT_MANAGEMENT_BETA),
      thinksUnasked: facts.thinkingBinding === "prefix",
    });
  if (refusal !== null) return { ok: false, refusal };
  const account = { signatures: rules.signatures, enforces: scenario.enforces ?? true };
  const onMismatch = mismatchAnswerOf(request, account);
  const verified = verifyThinking(request, { binding: facts.thinkingBinding, onMismatch, hasControls, cacheEdits });
  if (!verified.ok) return verified;
  const prompt = promptOf(request, {
    traits: rules.models.traitsOf(model),
    counter: rules.counter,
    cacheEdits,
    isDropped: (messageIndex, blockIndex) => verified.dropped.has(`${messageIndex}.${blockIndex}`),
  });
  return { ok: true, request, facts, prompt, verified, cacheEdits };
}
