import { createLineEnds } from "./line-ends.ts";

/** One server-sent event: its name ("message" when none was sent) and its data lines joined by LF. */
export interface SseEvent {
  readonly name: string;
  readonly data: string;
}

export interface SseReader {
  push(chunk: Uint8Array): void;
}

/** Longest line, and longest data of one event, that is read; a stream that passes it is read no further. */
export const SSE_LINE_BYTES_MAX = 8 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const BOM = "\ufeff";

interface ReaderState {
  /** Bytes of the line that has not ended yet. */
  pending: Uint8Array[];
  pendingBytes: number;
  isAfterCr: boolean;
  isFirstLine: boolean;
  isStopped: boolean;
  name: string;
  data: string[];
  dataLength: number;
}

/**
 * Reads a stream of server-sent events that may be cut anywhere, also inside a character. Lines end at LF, CR or both; comments and
 * unknown fields are passed over; an event that its blank line does not close is never told. Never throws.
 */
export function createSseReader(onEvent: (event: SseEvent) => void): SseReader {
  const state: ReaderState = {
    pending: [],
    pendingBytes: 0,
    isAfterCr: false,
    isFirstLine: true,
    isStopped: false,
    name: "",
    data: [],
    dataLength: 0,
  };
  return { push: (chunk) => pushChunk(state, chunk, onEvent) };
}

function pushChunk(state: ReaderState, chunk: Uint8Array, onEvent: (event: SseEvent) => void): void {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const ends = createLineEnds(bytes);
  let lineStart = 0;
  if (state.isAfterCr && bytes.length > 0) {
    state.isAfterCr = false;
    if (bytes[0] === LF) lineStart = 1;
  }
  while (!state.isStopped) {
    const at = ends.nextFrom(lineStart);
    if (at === bytes.length) break;
    endLine(state, bytes, lineStart, at, onEvent);
    const isCr = bytes[at] === CR;
    state.isAfterCr = isCr && at + 1 === bytes.length;
    lineStart = isCr && bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  if (!state.isStopped) keepPending(state, bytes.subarray(lineStart));
}

/** The chunk belongs to the caller, so what must outlive it is copied. */
function keepPending(state: ReaderState, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  state.pendingBytes += bytes.length;
  if (state.pendingBytes > SSE_LINE_BYTES_MAX) stop(state);
  else state.pending.push(Buffer.from(bytes));
}

/** The line that ends with these bytes, of which the first may have come before. */
function endLine(
  state: ReaderState,
  bytes: Buffer,
  start: number,
  end: number,
  onEvent: (event: SseEvent) => void,
): void {
  if (state.pendingBytes + end - start > SSE_LINE_BYTES_MAX) {
    stop(state);
    return;
  }
  const isWhole = state.pending.length === 0;
  const whole = isWhole
    ? bytes.toString("utf8", start, end)
    : Buffer.concat([...state.pending, bytes.subarray(start, end)]).toString("utf8");
  const line = state.isFirstLine && whole.startsWith(BOM) ? whole.slice(1) : whole;
  if (!isWhole) state.pending = [];
  state.pendingBytes = 0;
  state.isFirstLine = false;
  if (line !== "") takeField(state, line);
  else endEvent(state, onEvent);
}

function takeField(state: ReaderState, line: string): void {
  const colon = line.indexOf(":");
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
  if (field === "event") state.name = value;
  if (field !== "data") return;
  state.data.push(value);
  state.dataLength += value.length + 1;
  if (state.dataLength > SSE_LINE_BYTES_MAX) stop(state);
}

function endEvent(state: ReaderState, onEvent: (event: SseEvent) => void): void {
  const event = { name: state.name === "" ? "message" : state.name, data: state.data.join("\n") };
  const hasData = state.data.length > 0;
  state.name = "";
  state.data = [];
  state.dataLength = 0;
  if (hasData) onEvent(event);
}

function stop(state: ReaderState): void {
  state.isStopped = true;
  state.pending = [];
  state.data = [];
}
