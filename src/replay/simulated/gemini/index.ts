import type { JsonObject } from "../../../model/json.ts";
import { planAnswer } from "../answer.ts";
import type { ApiAnswer, ApiCall, ApiRequest, SimulatedApi } from "../api.ts";
import { servePrompt, tokensOfParts } from "../automatic-cache.ts";
import { objectsOf, stringOf } from "../json.ts";
import { unstatedModels } from "../models.ts";
import { invalid } from "../refusal.ts";
import { partsOf } from "./answer-parts.ts";
import { geminiErrorBody } from "./errors.ts";
import { geminiEvents } from "./events.ts";
import { refuseGeminiPairing } from "./pairing.ts";
import { geminiParts } from "./prompt-parts.ts";
import { refuseSignatures } from "./signature.ts";
import { geminiTalk } from "./talk.ts";
import { usageMetadata } from "./usage.ts";
import { refuseGemini, toGeminiBody } from "./validate.ts";

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;
/** Models that put a signature on their calls and demand it back. Source: the provider's page on thought signatures. */
const SIGNING_MODEL = /^gemini-(?:[3-9]|\d\d)(?:[.-]|$)/;

/** The Gemini API. Source: the provider's API reference and the types of its SDK. */
export const geminiApi: SimulatedApi = {
  name: "gemini",
  requestIdHeader: null,
  callOf(method, path, query) {
    const [, name, action] = PATH.exec(path) ?? [];
    if (method !== "POST" || name === undefined) return null;
    const model = decodeURIComponent(name);
    if (action === "countTokens") return { purpose: "count", model, stream: "none" };
    const isEvents = query.get("alt") === "sse";
    const stream = action === "generateContent" ? "none" : isEvents ? "events" : "array";
    return { purpose: "generate", model, stream };
  },
  answer(request) {
    const read = toGeminiBody(request.body);
    if (!read.ok) return read;
    const { body } = read;
    const contents = objectsOf(body.contents);
    const signs = isSigning(request);
    const refusal =
      refuseGemini(body) ??
      refuseGeminiPairing(contents) ??
      (request.rules.signatures ? refuseSignatures(contents, signs) : null);
    if (refusal !== null) return { ok: false, refusal };
    return request.call.purpose === "count" ? count(body, request) : generate(body, request, signs);
  },
  errorBody: geminiErrorBody,
};

function isSigning({ call, scenario }: { readonly call: ApiCall; readonly scenario: ApiRequest["scenario"] }): boolean {
  return scenario.thoughtSignatures ?? SIGNING_MODEL.test(call.model ?? "");
}

function count(body: JsonObject, { rules, state }: ApiRequest): ApiAnswer {
  const totalTokens = tokensOfParts(geminiParts(body), rules.counter);
  const message = { totalTokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }] };
  return { ok: true, message, stream: null, billed: null, state, advanceMs: 0 };
}

function generate(body: JsonObject, request: ApiRequest, signs: boolean): ApiAnswer {
  const { call, scenario, state, atMs, rules } = request;
  const model = stringOf(call.model ?? "");
  const facts = (rules.otherModels ?? unstatedModels).gemini.modelFacts(model);
  const served = servePrompt(state.cache, geminiParts(body), {
    facts,
    counter: rules.counter,
    atMs,
    lifetimeMs: facts.ttlDefaultMs,
    seed: `model ${model}`,
    isImplicit: true,
  });
  const windowTokens = scenario.windowTokens ?? facts.windowTokens;
  if (windowTokens !== null && served.tokens > windowTokens) {
    const words = `The input token count (${served.tokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`;
    return { ok: false, refusal: invalid(words) };
  }
  const answer = planAnswer(scenario, geminiTalk(body));
  const parts = partsOf(answer, body, signs);
  const thoughtsTokens = answer.thinking === null ? 0 : rules.counter.count(answer.thinking);
  const outputTokens = rules.counter.count(JSON.stringify(parts.filter(({ thought }) => thought !== true)));
  const bill = { ...served.bill, outputTokens: outputTokens + thoughtsTokens };
  const message = {
    candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata: usageMetadata({ bill, thoughtsTokens, figures: scenario.cacheFigures }),
    modelVersion: model,
    responseId: answer.id,
  };
  return {
    ok: true,
    message,
    stream: geminiEvents(message, call.stream),
    billed: { bill, facts },
    state: { ...state, cache: served.cache },
    advanceMs: answer.advanceMs,
  };
}
