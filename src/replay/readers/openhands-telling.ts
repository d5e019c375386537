import type { RecordedMessage, RecordedProblem } from "../recording.ts";
import { readChatMessage } from "./chat-message.ts";
import { recordsIn } from "./chat-telling.ts";
import { readResponse } from "./response-record.ts";
import { createTeller, type Teller } from "./teller.ts";
import { timeOf } from "./time.ts";
import type { ToldEntry } from "./told.ts";
import { isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** Puts events in the API's form. An action carries the whole answer that it came from, once for each of its calls. */
export function tellOpenHands(events: readonly JsonRecord[], problems: RecordedProblem[]): readonly ToldEntry[] {
  const teller = createTeller();
  const answered = new Set<string>();
  const byId = new Map<unknown, ToldEntry>();
  for (const event of events) {
    const place = { line: 0, atMs: timeOf(event.timestamp) };
    const before = teller.last();
    if (event.action === "condensation") forget(teller, event, byId, place);
    else tellEvent(teller, event, answered, place, problems);
    const entry = teller.last();
    if (entry !== null && entry !== before) byId.set(event.id, entry);
  }
  return teller.entries;
}

type Place = { readonly line: number; readonly atMs: number | null };

function tellEvent(
  teller: Teller,
  event: JsonRecord,
  answered: Set<string>,
  place: Place,
  problems: RecordedProblem[],
): void {
  const call = isRecord(event.tool_call_metadata) ? event.tool_call_metadata : null;
  if (call !== null && event.observation !== undefined) {
    const message = {
      role: "tool",
      tool_call_id: call.tool_call_id,
      content: textOrNull(event.content) ?? textOrNull(event.message) ?? "",
    };
    say(teller, message, place, problems);
    return;
  }
  const response = call !== null && isRecord(call.model_response) ? call.model_response : event.llm_response;
  if (isRecord(response)) {
    const id = textOrNull(response.id) ?? JSON.stringify(response);
    if (!answered.has(id)) answer(teller, messageIn(response), response, place, problems);
    answered.add(id);
    return;
  }
  const { args } = event;
  const text = isRecord(args) ? textOrNull(args.content) : null;
  if (event.action === "system" && text !== null) say(teller, { role: "system", content: text }, place, problems);
  if (event.action !== "message" || text === null) return;
  if (event.source === "user") say(teller, { role: "user", content: text }, place, problems);
  else answer(teller, { role: "assistant", content: text }, null, place, problems);
}

function say(teller: Teller, message: JsonRecord, place: Place, problems: RecordedProblem[]): void {
  const read = readChatMessage(message, 0);
  problems.push(...read.problems);
  if (read.message !== null) teller.tell({ kind: "said", messages: [read.message] }, place);
}

function answer(teller: Teller, message: unknown, response: unknown, place: Place, problems: RecordedProblem[]): void {
  const read = readChatMessage(message, 0);
  problems.push(...read.problems);
  if (read.message === null) return;
  teller.tell(
    {
      kind: "response",
      message: read.message,
      ...readResponse("openai-chat", response),
      askedMs: null,
      isSentBack: true,
    },
    place,
  );
}

function messageIn({ choices }: JsonRecord): unknown {
  return recordsIn(choices)[0]?.message;
}

/** A condensation names the events that are sent no more, one by one or from one to another. */
function forget(teller: Teller, { args }: JsonRecord, byId: ReadonlyMap<unknown, ToldEntry>, place: Place): void {
  if (!isRecord(args)) return;
  const { forgotten_event_ids: named, forgotten_events_start_id: from, forgotten_events_end_id: to } = args;
  const isForgotten = (id: unknown): boolean => {
    if (Array.isArray(named)) return named.includes(id);
    return typeof id === "number" && typeof from === "number" && typeof to === "number" && id >= from && id <= to;
  };
  const entries = new Set([...byId].filter(([id]) => isForgotten(id)).map(([, entry]) => entry));
  const summary = textOrNull(args.summary);
  const instead: RecordedMessage[] = summary === null ? [] : summaryOf(summary);
  if (entries.size > 0) teller.tell({ kind: "forget", entries, instead }, place);
}

function summaryOf(text: string): RecordedMessage[] {
  const { message } = readChatMessage({ role: "user", content: text }, 0);
  return message === null ? [] : [message];
}
