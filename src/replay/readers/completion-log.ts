import { timeOf } from "./time.ts";
import { isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** The exchange that a completion log of OpenHands holds: one chat request, its settings and its answer. Null for anything else. */
export function completionOf(value: JsonRecord): JsonRecord | null {
  const { messages, response } = value;
  if (!Array.isArray(messages) || !isRecord(response) || !Array.isArray(response.choices)) return null;
  const kwargs = isRecord(value.kwargs) ? value.kwargs : {};
  const called = value.fncall_messages;
  const tools = value.tools ?? kwargs.tools;
  const model = textOrNull(response.model);
  const request = {
    ...(model === null ? {} : { model }),
    // Where the agent put its calls into text for a model without tools, the log also keeps them as they were.
    messages: Array.isArray(called) && called.length > 0 ? called : messages,
    ...(tools === undefined ? {} : { tools }),
  };
  return { request, response, at: askedMs(value), path: "/chat/completions" };
}

/** A log is written when the answer is there. */
function askedMs({ timestamp, latency_sec: latency }: JsonRecord): number | null {
  const endMs = timeOf(timestamp);
  return endMs === null || typeof latency !== "number" ? endMs : Math.round(endMs - latency * 1_000);
}
