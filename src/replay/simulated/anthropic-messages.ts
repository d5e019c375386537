import type { ApiAnswer, ApiRequest, SimulatedApi } from "./api.ts";
import { betasOf } from "./betas.ts";
import { eventsOf } from "./events.ts";
import { countTokens, exchange } from "./exchange.ts";
import { isObject, stringOf } from "./json.ts";
import { errorBody } from "./refusal.ts";

/** The Anthropic Messages API. */
export const anthropicMessagesApi: SimulatedApi = {
  name: "anthropic-messages",
  requestIdHeader: "request-id",
  callOf(method, path) {
    if (method !== "POST") return null;
    if (path === "/v1/messages") return { purpose: "generate", model: null, stream: null };
    return path === "/v1/messages/count_tokens" ? { purpose: "count", model: null, stream: "none" } : null;
  },
  answer: (request) => (request.call.purpose === "count" ? count(request) : generate(request)),
  errorBody,
};

function generate({ body, headers, scenario, state, atMs, rules }: ApiRequest): ApiAnswer {
  const betas = betasOf(headers["anthropic-beta"]);
  const answered = exchange(body, { scenario, cache: state.cache, atMs, betas }, rules);
  if (!answered.ok) return answered;
  const { message, bill, cache, advanceMs } = answered;
  const isStreaming = isObject(body) && body.stream === true;
  return {
    ok: true,
    message,
    stream: isStreaming ? { contentType: "text/event-stream; charset=utf-8", events: eventsOf(message) } : null,
    billed: { bill, facts: rules.models.modelFacts(stringOf(message.model)) },
    state: { ...state, cache },
    advanceMs,
  };
}

function count({ body, headers, scenario, state, rules }: ApiRequest): ApiAnswer {
  const counted = countTokens(body, { scenario, betas: betasOf(headers["anthropic-beta"]) }, rules);
  if (!counted.ok) return counted;
  const { inputTokens, originalTokens } = counted;
  const message = {
    input_tokens: inputTokens,
    ...(originalTokens === null ? {} : { context_management: { original_input_tokens: originalTokens } }),
  };
  return { ok: true, message, stream: null, billed: null, state, advanceMs: 0 };
}
