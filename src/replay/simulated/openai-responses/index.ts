import { sha256Hex } from "../../../lib/hash.ts";
import type { ModelFacts } from "../../../model/cache.ts";
import type { JsonObject } from "../../../model/json.ts";
import { planAnswer } from "../answer.ts";
import type { ApiAnswer, ApiRequest, SimulatedApi } from "../api.ts";
import { tokensOfParts } from "../automatic-cache.ts";
import type { InputBill } from "../cache.ts";
import { stringOf } from "../json.ts";
import { openaiErrorBody, refused } from "../openai/errors.ts";
import { serveOpenai } from "../openai/serving.ts";
import { responsesUsage } from "../openai/usage.ts";
import type { TokenBill } from "../price.ts";
import { compactedWindow, compactionItem, isCompactionAsked } from "./compaction.ts";
import { responsesEvents } from "./events.ts";
import { type History, heldWith, historyOf } from "./history.ts";
import { outputOf } from "./output.ts";
import { refuseItemPairing } from "./pairing.ts";
import { responsesParts } from "./parts.ts";
import { responseOf } from "./response.ts";
import { responsesTalk } from "./talk.ts";
import { refuseResponses, toResponsesBody } from "./validate.ts";

const SECOND_MS = 1_000;
const ID_CHARS = 24;

/** The OpenAI Responses API. Source: the provider's API reference and the types of its SDK. */
export const openaiResponsesApi: SimulatedApi = {
  name: "openai-responses",
  requestIdHeader: "x-request-id",
  callOf(method, path) {
    if (method !== "POST") return null;
    if (path.endsWith("/responses")) return { purpose: "generate", model: null, stream: null };
    if (path.endsWith("/responses/compact")) return { purpose: "compact", model: null, stream: "none" };
    return path.endsWith("/responses/input_tokens") ? { purpose: "count", model: null, stream: "none" } : null;
  },
  answer(request) {
    const read = toResponsesBody(request.body);
    if (!read.ok) return read;
    const { body } = read;
    const refusal = refuseResponses(body);
    if (refusal !== null) return { ok: false, refusal };
    const history = historyOf(body, request.state);
    if (!history.ok) return history;
    return answerItems(body, history, request);
  },
  errorBody: openaiErrorBody,
};

type Known = Extract<History, { readonly ok: true }>;

function answerItems(body: JsonObject, history: Known, request: ApiRequest): ApiAnswer {
  const refusal = refuseItemPairing(history.items, request.rules.signatures);
  if (refusal !== null) return { ok: false, refusal };
  const parts = responsesParts(body, history.items);
  switch (request.call.purpose) {
    case "count": {
      const message = { object: "response.input_tokens", input_tokens: tokensOfParts(parts, request.rules.counter) };
      return { ok: true, message, stream: null, billed: null, state: request.state, advanceMs: 0 };
    }
    case "compact":
      return compact(body, history, request);
    case "generate":
      return generate(body, history, request);
  }
}

function generate(body: JsonObject, history: Known, request: ApiRequest): ApiAnswer {
  const { scenario, state, atMs, rules } = request;
  const { tokens, bill: input, cache, facts } = serveOpenai(body, responsesParts(body, history.items), request);
  const windowTokens = scenario.windowTokens ?? facts.windowTokens;
  if (windowTokens !== null && tokens > windowTokens) {
    const words = "Your input exceeds the context window of this model. Please adjust your input and try again.";
    return { ok: false, refusal: refused(words, { param: "input", code: "context_length_exceeded" }) };
  }
  const answer = planAnswer(scenario, responsesTalk(body, history.items));
  const output = isCompactionAsked(history.items) ? [compactionItem(history.items)] : outputOf(answer, body);
  const hasReasoning = output[0]?.type === "reasoning";
  const bill = billOf(input, output, request);
  const usage = usageOf(bill, hasReasoning ? rules.counter.count(answer.thinking ?? "") : 0, { facts, request });
  const id = `resp_${sha256Hex(JSON.stringify([answer.id, history.items])).slice(0, ID_CHARS)}`;
  const response = responseOf(body, { id, createdAt: atMs / SECOND_MS, output, usage });
  const previousId = typeof body.previous_response_id === "string" ? body.previous_response_id : null;
  const items = [...history.own, ...output];
  return {
    ok: true,
    message: response,
    stream: body.stream === true ? responsesEvents(response) : null,
    billed: { bill, facts },
    state: { cache, held: body.store === false ? state.held : heldWith(state, id, { previousId, items }) },
    advanceMs: answer.advanceMs,
  };
}

function compact(body: JsonObject, history: Known, request: ApiRequest): ApiAnswer {
  const { bill: input, cache, facts } = serveOpenai(body, responsesParts(body, history.items), request);
  const output = compactedWindow(history.items);
  const bill = billOf(input, output.slice(-1), request);
  const message = {
    id: `resp_${stringOf(output.at(-1)?.id).slice("cmp_".length)}`,
    object: "response.compaction",
    created_at: Math.floor(request.atMs / SECOND_MS),
    output,
    usage: usageOf(bill, 0, { facts, request }),
  };
  return { ok: true, message, stream: null, billed: { bill, facts }, state: { ...request.state, cache }, advanceMs: 0 };
}

function billOf(input: InputBill, output: readonly JsonObject[], { rules }: ApiRequest): TokenBill {
  return { ...input, outputTokens: rules.counter.count(JSON.stringify(output)) };
}

interface UsageContext {
  readonly facts: ModelFacts;
  readonly request: ApiRequest;
}

function usageOf(bill: TokenBill, reasoningTokens: number, { facts, request }: UsageContext): JsonObject {
  return responsesUsage({ bill, reasoningTokens, facts, figures: request.scenario.cacheFigures });
}
