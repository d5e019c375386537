import { createSseReader } from "../../lib/sse.ts";
import type { Usage } from "../../model/usage.ts";
import type { RecordedWire } from "../recording.ts";
import { usageIn } from "./reported-usage.ts";
import { isRecord, type JsonRecord, parseJson, textOrNull } from "./values.ts";

/** What a recorded response tells of itself. */
export interface ResponseRecord {
  readonly messageId: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
}

const NO_RESPONSE: ResponseRecord = { messageId: null, model: null, usage: null };

/** Reads a response: its body as JSON, as the text of JSON, or as the text of a stream of events; also under `body`. Never throws. */
export function readResponse(wire: RecordedWire, response: unknown): ResponseRecord {
  if (isRecord(response) && (isRecord(response.body) || typeof response.body === "string")) {
    return readResponse(wire, response.body);
  }
  return piecesOf(response).reduce((known: ResponseRecord, piece) => withPiece(wire, known, piece), NO_RESPONSE);
}

/** A response in pieces: its events in order, or the one body that it is. */
function piecesOf(response: unknown): readonly JsonRecord[] {
  if (Array.isArray(response)) return response.filter(isRecord);
  if (isRecord(response)) return [response];
  if (typeof response !== "string") return [];
  const whole = parseJson(Buffer.from(response));
  if (whole.ok) return piecesOf(typeof whole.value === "string" ? null : whole.value);
  const pieces: JsonRecord[] = [];
  const reader = createSseReader(({ data }) => {
    const event = parseJson(Buffer.from(data));
    if (event.ok && isRecord(event.value)) pieces.push(event.value);
  });
  reader.push(Buffer.from(`${response}\n\n`));
  return pieces;
}

/** Later pieces know better; output grows from piece to piece. */
function withPiece(wire: RecordedWire, known: ResponseRecord, piece: JsonRecord): ResponseRecord {
  const told =
    isRecord(piece.message) && wire === "anthropic-messages"
      ? piece.message
      : isRecord(piece.response)
        ? piece.response
        : piece;
  const usage = usageIn(wire, wire === "gemini" ? told.usageMetadata : told.usage);
  const isDelta = piece.type === "message_delta";
  const messageId = wire === "gemini" ? told.responseId : isResponsesEvent(piece) && told === piece ? null : told.id;
  return {
    messageId: textOrNull(messageId) ?? known.messageId,
    model: textOrNull(wire === "gemini" ? told.modelVersion : told.model) ?? known.model,
    usage: isDelta && known.usage !== null ? laterUsage(known.usage, usage) : (usage ?? known.usage),
  };
}

/** Events of a Responses stream carry ids of items, which are none of a response. */
function isResponsesEvent(piece: JsonRecord): boolean {
  return typeof piece.type === "string" && piece.type.startsWith("response.");
}

/** The end of an Anthropic stream repeats input counts only where they changed. */
function laterUsage(before: Usage, later: Usage | null): Usage {
  if (later === null) return before;
  return {
    inputTokens: later.inputTokens || before.inputTokens,
    cacheReadTokens: later.cacheReadTokens || before.cacheReadTokens,
    cacheWriteTokens: later.cacheWriteTokens || before.cacheWriteTokens,
    outputTokens: later.outputTokens || before.outputTokens,
  };
}
