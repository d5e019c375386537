import type { SseEvent } from "../../lib/sse.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ResponseWatcher } from "../../model/ports.ts";
import type { ResponseFacts } from "../../model/usage.ts";
import { CALLS_MAX, isObject, NO_FACTS, parseObject, textOr, watchEvents, watchValue } from "../shared/watch.ts";
import { callIn } from "./response-call.ts";
import { usageOf } from "./usage.ts";

/** Events with facts in them; a stream without event names tells each by its data. */
const TELLING_EVENTS: ReadonlySet<string> = new Set([
  "response.created",
  "response.output_item.added",
  "response.output_item.done",
  "response.completed",
  "response.incomplete",
  "response.failed",
  "error",
  "message",
]);

/** Watches a copy of a response. Malformed, cut and over-long responses leave facts unknown. */
export function watchResponse(isStreaming: boolean): ResponseWatcher {
  return isStreaming
    ? watchEvents(learn)
    : watchValue((value) => (isObject(value) ? withWhole(NO_FACTS, value) : NO_FACTS));
}

function learn(facts: ResponseFacts, event: SseEvent): ResponseFacts {
  if (!TELLING_EVENTS.has(event.name)) return facts;
  const told = parseObject(Buffer.from(event.data));
  switch (told?.type) {
    case "response.created":
      return {
        ...facts,
        messageId: isObject(told.response) ? textOr(told.response.id, facts.messageId) : facts.messageId,
      };
    case "response.output_item.added":
    case "response.output_item.done":
      return withCalls(facts, [told.item]);
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
      return isObject(told.response) ? withWhole(facts, told.response) : facts;
    case "error":
      return { ...facts, errorType: errorTypeOf(told) };
    default:
      return facts;
  }
}

/** A response that is whole, or the body of a refusal. One that the provider could not finish is not complete. */
function withWhole(facts: ResponseFacts, body: JsonObject): ResponseFacts {
  const status = textOr(body.status, null);
  const isRefused = isObject(body.error);
  return {
    ...withCalls(facts, Array.isArray(body.output) ? body.output : []),
    usage: usageOf(body.usage) ?? facts.usage,
    messageId: textOr(body.id, facts.messageId),
    stopReason: stopReasonOf(body, status) ?? facts.stopReason,
    errorType: isRefused || status === "failed" ? errorTypeOf(body) : null,
    isComplete: !isRefused && (status === "completed" || status === "incomplete"),
  };
}

function stopReasonOf(body: JsonObject, status: string | null): string | null {
  const details = isObject(body.incomplete_details) ? body.incomplete_details : {};
  return status === "incomplete" ? textOr(details.reason, status) : status;
}

/** A call is told when it begins, when it ends and with the whole response; the first time counts. */
function withCalls(facts: ResponseFacts, items: readonly (JsonValue | undefined)[]): ResponseFacts {
  const calls = [...facts.calls];
  for (const item of items) {
    const call = isObject(item) ? callIn(item) : null;
    const isNew = call !== null && calls.length < CALLS_MAX && calls.every(({ id }) => id !== call.id);
    if (isNew) calls.push(call);
  }
  return calls.length === facts.calls.length ? facts : { ...facts, calls };
}

/** The code says more than the type, which is one for nearly all refusals. A stream may state both without an `error` around them. */
function errorTypeOf(body: JsonObject): string {
  const error = isObject(body.error) ? body.error : body;
  const type = textOr(error.type, null);
  return textOr(error.code, null) ?? (type === "error" ? null : type) ?? "unknown";
}
