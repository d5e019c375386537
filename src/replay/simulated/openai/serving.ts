import type { ModelFacts } from "../../../model/cache.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { ApiRequest } from "../api.ts";
import { type AutomaticallyServed, type PromptPart, servePrompt } from "../automatic-cache.ts";
import { isObject, stringOf } from "../json.ts";
import { unstatedModels } from "../models.ts";

const DAY_MS = 86_400_000;

/** Facts of the model that a body names. */
export function openaiFacts(body: JsonObject, { rules }: Pick<ApiRequest, "rules">): ModelFacts {
  return (rules.otherModels ?? unstatedModels).openai.modelFacts(stringOf(body.model));
}

/** Serves a prompt as the body's cache options ask for it. Source: OpenAI's prompt caching guide. */
export function serveOpenai(
  body: JsonObject,
  parts: readonly PromptPart[],
  request: ApiRequest,
): AutomaticallyServed & { readonly facts: ModelFacts } {
  const facts = openaiFacts(body, request);
  const options = isObject(body.prompt_cache_options) ? body.prompt_cache_options : {};
  const served = servePrompt(request.state.cache, parts, {
    facts,
    counter: request.rules.counter,
    atMs: request.atMs,
    lifetimeMs: body.prompt_cache_retention === "24h" ? DAY_MS : facts.ttlDefaultMs,
    seed: `model ${stringOf(body.model)}`,
    isImplicit: options.mode !== "explicit",
  });
  return { ...served, facts };
}

/** True where a content part states a breakpoint behind itself. */
export function hasBreakpoint(part: JsonObject): boolean {
  return isObject(part.prompt_cache_breakpoint);
}
