import type { RecordedMessage, RecordedProblem } from "../recording.ts";
import { readChatMessage } from "./chat-message.ts";
import { readResponse } from "./response-record.ts";
import { createTeller } from "./teller.ts";
import { timeOf } from "./time.ts";
import type { ToldEntry } from "./told.ts";
import { isRecord, type JsonRecord } from "./values.ts";

/** A chat message of a log, and what the log says of it beside. */
export interface LoggedMessage {
  readonly message: JsonRecord;
  readonly model: string | null;
  /** The API's answer, for a message of the model that has it. */
  readonly response: unknown;
  readonly at: unknown;
}

/** Chat messages in a row: each one of the model is an answer. */
export function tellChat(messages: readonly LoggedMessage[], problems: RecordedProblem[]): readonly ToldEntry[] {
  const teller = createTeller();
  for (const { message, model, response, at } of messages) {
    const read = readChatMessage(message, 0);
    problems.push(...read.problems);
    if (read.message === null) continue;
    const place = { line: 0, atMs: timeOf(at) };
    if (read.message.role !== "assistant") teller.tell({ kind: "said", messages: [read.message] }, place);
    else teller.tell({ ...answerOf(read.message, model, response), askedMs: null, isSentBack: true }, place);
  }
  return teller.entries;
}

function answerOf(message: RecordedMessage, model: string | null, response: unknown) {
  const told = readResponse("openai-chat", response);
  return {
    kind: "response",
    message,
    model: told.model ?? model,
    messageId: told.messageId,
    usage: told.usage,
  } as const;
}

/** The parts of a message that its API knows. */
export function chatPart(value: JsonRecord): JsonRecord {
  const { role, content, tool_calls, tool_call_id, name } = value;
  const members = { role, content, tool_calls, tool_call_id, name };
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined && member !== null));
}

/** The members of a list that are objects. */
export function recordsIn(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
