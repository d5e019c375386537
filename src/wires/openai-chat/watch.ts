import type { SseEvent } from "../../lib/sse.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ResponseWatcher } from "../../model/ports.ts";
import type { ResponseFacts } from "../../model/usage.ts";
import { CALLS_MAX, isObject, NO_FACTS, parseValue, textOr, watchEvents, watchValue } from "../shared/watch.ts";
import { errorTypeIn } from "./errors.ts";
import { usageIn } from "./usage.ts";

/** What ends a stream. */
const DONE = "[DONE]";
/** A choice that ended so is an error. Source: OpenRouter's documentation of errors inside a stream. */
const ERROR_REASON = "error";

/** Watches a copy of a response. Malformed, cut and over-long responses leave facts unknown. */
export function watchResponse(isStreaming: boolean): ResponseWatcher {
  return isStreaming ? watchChunks() : watchValue(factsOf);
}

function factsOf(value: JsonValue): ResponseFacts {
  const errorType = errorTypeIn(value);
  if (!isObject(value)) return { ...NO_FACTS, errorType };
  const choices = choicesOf(value);
  const messages = choices.map(({ message }) => (isObject(message) ? message : {}));
  const isFailed = choices.some(({ finish_reason: reason }) => reason === ERROR_REASON);
  return {
    usage: usageIn(value),
    messageId: textOr(value.id, null),
    stopReason: textOr(choices[0]?.finish_reason, null),
    errorType: errorType ?? (isFailed ? "unknown" : null),
    calls: messages.flatMap(callsIn).slice(0, CALLS_MAX),
    isComplete: true,
  };
}

function choicesOf(told: JsonObject): readonly JsonObject[] {
  return (Array.isArray(told.choices) ? told.choices : []).filter((choice): choice is JsonObject => isObject(choice));
}

/** Calls of a message, or those that a delta begins. */
function callsIn(message: JsonObject): ResponseFacts["calls"] {
  const calls: readonly JsonValue[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return calls.flatMap((call) => {
    if (!isObject(call)) return [];
    const inner = isObject(call.function) ? call.function : call.custom;
    const name = isObject(inner) ? inner.name : undefined;
    const { id } = call;
    const isNamed = typeof id === "string" && id !== "" && typeof name === "string" && name !== "";
    return isNamed ? [{ id, name }] : [];
  });
}

/** A stream that a server ends without its last event ended when every choice in it did. */
function watchChunks(): ResponseWatcher {
  const open = new Set<string>();
  const ended = new Set<string>();
  const noted = new Set<string>();
  const learnChoice = (facts: ResponseFacts, choice: JsonObject): ResponseFacts => {
    const name = String(choice.index ?? 0);
    const reason = textOr(choice.finish_reason, null);
    if (open.size < CALLS_MAX) open.add(name);
    if (reason !== null && open.has(name)) ended.add(name);
    const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {};
    const calls = callsIn(delta).filter(({ id }) => !noted.has(id));
    for (const { id } of calls) if (noted.size < CALLS_MAX) noted.add(id);
    return {
      ...facts,
      stopReason: isFirst(name) ? (reason ?? facts.stopReason) : facts.stopReason,
      errorType: facts.errorType ?? (reason === ERROR_REASON ? "unknown" : null),
      calls: [...facts.calls, ...calls].slice(0, CALLS_MAX),
    };
  };
  return watchEvents((facts, event) => {
    if (event.data.trim() === DONE) return { ...facts, isComplete: facts.errorType === null };
    const told = toldIn(event);
    if (told === null) return facts;
    const known: ResponseFacts = {
      ...facts,
      usage: usageIn(told) ?? facts.usage,
      messageId: facts.messageId ?? (textOr(told.id, null) || null),
      errorType: facts.errorType ?? errorTypeIn(told),
    };
    const next = choicesOf(told).reduce(learnChoice, known);
    return { ...next, isComplete: next.errorType === null && open.size > 0 && ended.size === open.size };
  });
}

/** What an event tells; null for what is no JSON, or neither an object nor an error. */
function toldIn({ data }: SseEvent): JsonObject | null {
  const value = parseValue(Buffer.from(data));
  if (isObject(value)) return value;
  const errorType = errorTypeIn(value);
  return errorType === null ? null : { error: { type: errorType } };
}

function isFirst(choiceName: string): boolean {
  return choiceName === "0";
}
