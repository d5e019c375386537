import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ResponseWatcher } from "../../model/ports.ts";
import type { ResponseFacts, Usage } from "../../model/usage.ts";
import {
  CALLS_MAX,
  isCount,
  isObject,
  NO_FACTS,
  parseObject,
  textOr,
  watchEvents,
  watchValue,
} from "../shared/watch.ts";

/**
 * Watches a copy of a response: server-sent events, one response, or the list of responses that a stream without events is.
 * Malformed, cut and over-long responses leave facts unknown.
 */
export function watchResponse(isStreaming: boolean): ResponseWatcher {
  if (!isStreaming) return watchValue((value) => piecesIn(value).reduce(learn, NO_FACTS));
  return watchEvents((facts, { data }) => {
    const piece = parseObject(Buffer.from(data));
    return piece === null ? facts : learn(facts, piece);
  });
}

function piecesIn(value: JsonValue): readonly JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

/** A prompt that is blocked has a reason and no candidate. */
function learn(facts: ResponseFacts, piece: JsonObject): ResponseFacts {
  const { error, candidates, promptFeedback } = piece;
  if (isObject(error)) return { ...facts, errorType: textOr(error.status, "unknown") };
  const [candidate] = Array.isArray(candidates) ? candidates : [];
  const answer = isObject(candidate) ? candidate : {};
  const blocked = isObject(promptFeedback) ? textOr(promptFeedback.blockReason, null) : null;
  const stopReason = textOr(answer.finishReason, blocked ?? facts.stopReason);
  return {
    ...facts,
    usage: usageOf(piece.usageMetadata) ?? facts.usage,
    messageId: textOr(piece.responseId, facts.messageId),
    stopReason,
    calls: [...facts.calls, ...callsIn(answer.content)].slice(0, CALLS_MAX),
    isComplete: stopReason !== null,
  };
}

function callsIn(content: JsonValue | undefined): ResponseFacts["calls"] {
  const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
  return parts.flatMap((part) => {
    const call = isObject(part) ? part.functionCall : null;
    const name = isObject(call) ? textOr(call.name, null) : null;
    return isObject(call) && name !== null ? [{ id: textOr(call.id, "") ?? "", name }] : [];
  });
}

/** The prompt's count holds what was cached; thoughts are output. Source: the API's reference of `UsageMetadata`. */
function usageOf(value: JsonValue | undefined): Usage | null {
  if (!isObject(value)) return null;
  const countOf = (name: string) => (isCount(value[name]) ? value[name] : 0);
  const prompt = value.promptTokenCount;
  if (!isCount(prompt)) return null;
  const cacheReadTokens = Math.min(countOf("cachedContentTokenCount"), prompt);
  return {
    inputTokens: prompt - cacheReadTokens + countOf("toolUsePromptTokenCount"),
    cacheReadTokens,
    cacheWriteTokens: 0,
    outputTokens: countOf("candidatesTokenCount") + countOf("thoughtsTokenCount"),
  };
}
