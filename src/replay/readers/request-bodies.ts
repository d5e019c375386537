import type { Usage } from "../../model/usage.ts";
import type { RecordedMessage, RecordedProblem, RecordedWire } from "../recording.ts";
import { contentOf } from "./body-content.ts";
import { completionOf } from "./completion-log.ts";
import { formatOfBody } from "./request-format.ts";
import { readResponse } from "./response-record.ts";
import { isRecord, type JsonRecord, parseJson, textOrNull } from "./values.ts";

/** One recorded request, with what is on record of its response. */
export interface RecordedBody {
  readonly wire: RecordedWire;
  readonly bytes: Uint8Array;
  readonly line: number;
  readonly atMs: number | null;
  readonly sessionId: string | null;
  readonly model: string | null;
  /** Texts of its system prompt, and its tools as JSON. */
  readonly headTexts: readonly string[];
  readonly messages: readonly RecordedMessage[];
  readonly problems: readonly RecordedProblem[];
  readonly messageId: string | null;
  readonly usage: Usage | null;
}

/**
 * Requests in one parsed value: a bare body, a record of an exchange (`request` and `response`, or `bodyRaw` text), a list of these,
 * or an object whose every member is a body. `source` is the text the value was parsed from.
 */
export function bodiesIn(value: unknown, source: Uint8Array, line: number): readonly RecordedBody[] {
  if (Array.isArray(value)) {
    const found = value.map((member) => bodiesIn(member, encode(member), line));
    return found.every((bodies) => bodies.length > 0) ? found.flat() : [];
  }
  if (!isRecord(value)) return [];
  const completion = completionOf(value);
  if (completion !== null) return bodiesIn(completion, source, line);
  const wire = formatOfBody(value);
  if (wire !== null) return [toBody(wire, { value, bytes: source }, line, {})];
  const exchange = exchangeOf(value);
  if (exchange !== null) return bodyOfExchange(exchange, value, line);
  return bodiesOfMembers(Object.values(value), line);
}

function bodiesOfMembers(members: readonly unknown[], line: number): readonly RecordedBody[] {
  const bodies = members.filter(isRecord).flatMap((value) => {
    const wire = formatOfBody(value);
    return wire === null ? [] : [toBody(wire, { value, bytes: encode(value) }, line, {})];
  });
  return bodies.length === members.length ? bodies : [];
}

interface Parsed {
  readonly value: JsonRecord;
  readonly bytes: Uint8Array;
}

/** The request of an exchange: as text, which are its very bytes, or as JSON, also under `body`. */
function exchangeOf(value: JsonRecord): Parsed | null {
  const request = isRecord(value.request) && formatOfBody(value.request) === null ? value.request.body : value.request;
  const text = typeof value.bodyRaw === "string" ? value.bodyRaw : request;
  if (isRecord(text)) return { value: text, bytes: encode(text) };
  if (typeof text !== "string") return null;
  const bytes = Buffer.from(text);
  const parsed = parseJson(bytes);
  return parsed.ok && isRecord(parsed.value) ? { value: parsed.value, bytes } : null;
}

function bodyOfExchange(exchange: Parsed, record: JsonRecord, line: number): readonly RecordedBody[] {
  const path = textOrNull(record.path) ?? textOrNull(record.url);
  const wire = formatOfBody(exchange.value, path);
  return wire === null ? [] : [toBody(wire, exchange, line, record)];
}

function toBody(wire: RecordedWire, { value, bytes }: Parsed, line: number, record: JsonRecord): RecordedBody {
  const response = readResponse(wire, record.response);
  const path = textOrNull(record.path) ?? textOrNull(record.url);
  return {
    wire,
    bytes,
    line,
    atMs: timeOf(record.at ?? record.timestamp),
    sessionId: textOrNull(record.session),
    model: textOrNull(value.model) ?? modelInPath(path) ?? (wire === "gemini" ? response.model : null),
    ...contentOf(wire, value, line),
    messageId: response.messageId,
    usage: response.usage,
  };
}

function modelInPath(path: string | null): string | null {
  const name = /\/models\/([^/:?]+):/.exec(path ?? "")?.[1];
  return name === undefined ? null : decodeURIComponent(name);
}

/** Unix milliseconds as a number, or a date in words. */
function timeOf(value: unknown): number | null {
  const atMs = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(atMs) ? atMs : null;
}

function encode(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
