import type { JsonObject } from "../../../model/json.ts";
import type { Streamed } from "../api.ts";
import { objectsOf, stringOf } from "../json.ts";
import { piecesOf } from "../pieces.ts";

type Event = readonly [type: string, members: JsonObject];

/** A response as server-sent events, in the order the API sends them. */
export function responsesEvents(response: JsonObject): Streamed {
  const opened = { ...response, status: "in_progress", output: [], usage: null, completed_at: null };
  const events: Event[] = [
    ["response.created", { response: opened }],
    ["response.in_progress", { response: opened }],
    ...objectsOf(response.output).flatMap(itemEvents),
    ["response.completed", { response }],
  ];
  return {
    contentType: "text/event-stream; charset=utf-8",
    events: events.map(([type, members], index) => {
      return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: index, ...members })}\n\n`;
    }),
  };
}

function itemEvents(item: JsonObject, outputIndex: number): readonly Event[] {
  const place = { item_id: stringOf(item.id), output_index: outputIndex };
  return [
    ["response.output_item.added", { output_index: outputIndex, item: openedOf(item) }],
    ...insideEvents(item, place),
    ["response.output_item.done", { output_index: outputIndex, item }],
  ];
}

/** The item before anything of it was said. */
function openedOf(item: JsonObject): JsonObject {
  switch (item.type) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
    default:
      return item.status === undefined ? item : { ...item, status: "in_progress" };
  }
}

function insideEvents(item: JsonObject, place: JsonObject): readonly Event[] {
  switch (item.type) {
    case "reasoning":
      return objectsOf(item.summary).flatMap((part, index) => summaryEvents(part, { ...place, summary_index: index }));
    case "message":
      return objectsOf(item.content).flatMap((part, index) => contentEvents(part, { ...place, content_index: index }));
    case "function_call":
      return [
        ...deltas("response.function_call_arguments.delta", stringOf(item.arguments), place),
        [
          "response.function_call_arguments.done",
          { ...place, name: item.name ?? null, arguments: item.arguments ?? "" },
        ],
      ];
    case "custom_tool_call":
      return [
        ...deltas("response.custom_tool_call_input.delta", stringOf(item.input), place),
        ["response.custom_tool_call_input.done", { ...place, input: item.input ?? "" }],
      ];
    default:
      return [];
  }
}

function summaryEvents(part: JsonObject, place: JsonObject): readonly Event[] {
  const text = stringOf(part.text);
  return [
    ["response.reasoning_summary_part.added", { ...place, part: { ...part, text: "" } }],
    ...deltas("response.reasoning_summary_text.delta", text, place),
    ["response.reasoning_summary_text.done", { ...place, text }],
    ["response.reasoning_summary_part.done", { ...place, part }],
  ];
}

function contentEvents(part: JsonObject, place: JsonObject): readonly Event[] {
  const text = stringOf(part.text);
  return [
    ["response.content_part.added", { ...place, part: { ...part, text: "" } }],
    ...deltas("response.output_text.delta", text, { ...place, logprobs: [] }),
    ["response.output_text.done", { ...place, text, logprobs: [] }],
    ["response.content_part.done", { ...place, part }],
  ];
}

function deltas(type: string, text: string, place: JsonObject): readonly Event[] {
  return piecesOf(text).map((delta) => [type, { ...place, delta }]);
}
