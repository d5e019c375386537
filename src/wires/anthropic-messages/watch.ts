import type { SseEvent } from "../../lib/sse.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ResponseWatcher } from "../../model/ports.ts";
import type { ResponseFacts } from "../../model/usage.ts";
import { CALLS_MAX, isObject, NO_FACTS, parseObject, textOr, watchEvents, watchValue } from "../shared/watch.ts";
import { clearedIn } from "./applied-edits.ts";
import { mergeUsage } from "./usage.ts";

/** Events with facts in them; a stream without event names tells each by its data. */
const TELLING_EVENTS = new Set([
  "message_start",
  "content_block_start",
  "message_delta",
  "message_stop",
  "error",
  "message",
]);

/** Watches a copy of a response. Malformed, cut and over-long responses leave facts unknown. */
export function watchResponse(isStreaming: boolean): ResponseWatcher {
  return isStreaming ? watchEvents(learn) : watchValue((value) => factsOf(isObject(value) ? value : null));
}

function factsOf(body: JsonObject | null): ResponseFacts {
  if (body === null) return NO_FACTS;
  return {
    usage: mergeUsage(null, body.usage),
    messageId: textOr(body.id, null),
    stopReason: textOr(body.stop_reason, null),
    ...errorOf(body),
    calls: Array.isArray(body.content) ? body.content.flatMap(callsIn).slice(0, CALLS_MAX) : [],
    ...clearedIn(body.context_management),
    isComplete: true,
  };
}

function callsIn(block: JsonValue | undefined): ResponseFacts["calls"] {
  if (!isObject(block) || block.type !== "tool_use") return [];
  const { id, name } = block;
  return typeof id === "string" && typeof name === "string" ? [{ id, name }] : [];
}

function learn(facts: ResponseFacts, event: SseEvent): ResponseFacts {
  if (!TELLING_EVENTS.has(event.name)) return facts;
  const told = parseObject(Buffer.from(event.data));
  if (told === null) return facts;
  switch (told.type) {
    case "message_start": {
      const message = isObject(told.message) ? told.message : {};
      return {
        ...facts,
        usage: mergeUsage(facts.usage, message.usage),
        messageId: textOr(message.id, facts.messageId),
        stopReason: textOr(message.stop_reason, facts.stopReason),
        ...clearedIn(message.context_management),
      };
    }
    case "content_block_start": {
      if (facts.calls.length >= CALLS_MAX) return facts;
      return { ...facts, calls: [...facts.calls, ...callsIn(told.content_block)] };
    }
    case "message_delta": {
      const delta = isObject(told.delta) ? told.delta : {};
      return {
        ...facts,
        usage: mergeUsage(facts.usage, told.usage),
        stopReason: textOr(delta.stop_reason, facts.stopReason),
        ...clearedIn(told.context_management),
      };
    }
    case "message_stop":
      return { ...facts, isComplete: true };
    case "error":
      return { ...facts, ...errorOf(told) };
    default:
      return facts;
  }
}

/** How the API names the thinking of a request that it refuses: by a signature that does not fit, or as changed in an open round. */
const REFUSED_THINKING =
  /`?signature`? in `?thinking`? block|bound to a different conversation|thinking.*cannot be modified/s;

/** How it names context editing that it does not take. */
const REFUSED_CLEARING = /context.management|clear_tool_uses/;

function errorOf(body: JsonObject): Pick<ResponseFacts, "errorType" | "refusesThinking" | "refusesClearing"> {
  if (body.type !== "error") return { errorType: null };
  const error = isObject(body.error) ? body.error : {};
  const errorType = textOr(error.type, "unknown");
  const words = errorType === "invalid_request_error" ? (textOr(error.message, null) ?? "") : "";
  return {
    errorType,
    ...(REFUSED_THINKING.test(words) ? { refusesThinking: true } : {}),
    ...(REFUSED_CLEARING.test(words) ? { refusesClearing: true } : {}),
  };
}
