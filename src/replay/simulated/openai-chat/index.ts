import type { JsonObject } from "../../../model/json.ts";
import { planAnswer } from "../answer.ts";
import type { ApiAnswer, ApiRequest, SimulatedApi } from "../api.ts";
import { openaiErrorBody, refused } from "../openai/errors.ts";
import { serveOpenai } from "../openai/serving.ts";
import { chatUsage } from "../openai/usage.ts";
import { chatEvents } from "./events.ts";
import { messageOf } from "./message.ts";
import { chatParts } from "./parts.ts";
import { chatTalk } from "./talk.ts";
import { refuseChat, toChatBody } from "./validate.ts";

const SECOND_MS = 1_000;

/** OpenAI Chat Completions. Source: the provider's API reference and the types of its SDK. */
export const openaiChatApi: SimulatedApi = {
  name: "openai-chat",
  requestIdHeader: "x-request-id",
  callOf(method, path) {
    const isOurs = method === "POST" && path.endsWith("/chat/completions");
    return isOurs ? { purpose: "generate", model: null, stream: null } : null;
  },
  answer(request) {
    const read = toChatBody(request.body);
    if (!read.ok) return read;
    const refusal = refuseChat(read.body);
    return refusal === null ? generate(read.body, request) : { ok: false, refusal };
  },
  errorBody: openaiErrorBody,
};

function generate(body: JsonObject, request: ApiRequest): ApiAnswer {
  const { scenario, state, atMs, rules } = request;
  const { tokens, bill: input, cache, facts } = serveOpenai(body, chatParts(body), request);
  const windowTokens = scenario.windowTokens ?? facts.windowTokens;
  if (windowTokens !== null && tokens > windowTokens) {
    const words = `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
    return { ok: false, refusal: refused(words, { param: "messages", code: "context_length_exceeded" }) };
  }
  const answer = planAnswer(scenario, chatTalk(body));
  const { message, finishReason } = messageOf(answer, body, scenario.reasoningContent === true);
  const bill = { ...input, outputTokens: rules.counter.count(JSON.stringify(message)) };
  const reasoningTokens = answer.thinking === null ? 0 : rules.counter.count(answer.thinking);
  const usage = chatUsage({ bill, reasoningTokens, facts, figures: scenario.cacheFigures });
  const completion = {
    id: `chatcmpl-${answer.id}`,
    object: "chat.completion",
    created: Math.floor(atMs / SECOND_MS),
    model: body.model ?? null,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage,
    service_tier: "default",
    system_fingerprint: "fp_simulated",
  };
  return {
    ok: true,
    message: completion,
    stream: body.stream === true ? chatEvents(completion, body) : null,
    billed: { bill, facts },
    state: { ...state, cache },
    advanceMs: answer.advanceMs,
  };
}
