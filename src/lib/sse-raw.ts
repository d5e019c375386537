import { createLineEnds } from "./line-ends.ts";
import { createSseReader, SSE_LINE_BYTES_MAX, type SseEvent } from "./sse.ts";

/** One event with all bytes it came in, or bytes that are no event: their `name` is "", which no event's is. */
export interface RawSseEvent extends SseEvent {
  /** The bytes since the event before it, up to and including the blank line that ends it. */
  readonly raw: Uint8Array;
}

export interface RawSseReader {
  push(chunk: Uint8Array): void;
  /** To be called once, behind the last chunk: bytes that no blank line ended. */
  rest(): Uint8Array;
}

/** Longest event that is read, in bytes of the stream. */
export const SSE_EVENT_BYTES_MAX = SSE_LINE_BYTES_MAX;

const LF = 0x0a;
const CR = 0x0d;
const NOTHING = new Uint8Array(0);
const NO_EVENT: SseEvent = { name: "", data: "" };
/** No API tells anything in it, so whoever waits for something to be told sees that it was not. */
const UNREADABLE: SseEvent = { name: "message", data: "" };

interface CutState {
  pieces: Uint8Array[];
  bytes: number;
  lineBytes: number;
  isAfterCr: boolean;
  /** The line before this one ended with CR and LF. */
  isCrLf: boolean;
  /** A blank line ended with CR, and the LF that belongs to it may still come. */
  isAwaitingLf: boolean;
  isUnreadable: boolean;
}

/**
 * Reads a stream of server-sent events like `createSseReader`, and tells each event with the bytes it came in, wherever chunks end.
 *
 * Every byte of the stream is told exactly once and in order: as the `raw` of an event; as the `raw` of a piece named "" where a
 * blank line ends nothing but comments or blank lines; by `rest()` where no blank line came. Each piece is told as soon as its
 * blank line is there, so that what a server sends to keep a connection open is not held back. `raw` belongs to the listener.
 *
 * An event of more than `SSE_EVENT_BYTES_MAX` bytes is not read, and neither is what follows it: from there all bytes are told as
 * they come, as events named "message" without data. `rest()` first tells an event of which only a possible LF was awaited. Never throws.
 */
export function createRawSseReader(onEvent: (event: RawSseEvent) => void): RawSseReader {
  const told: SseEvent[] = [];
  const reader = createSseReader((event) => told.push(event));
  const state: CutState = {
    pieces: [],
    bytes: 0,
    lineBytes: 0,
    isAfterCr: false,
    isCrLf: false,
    isAwaitingLf: false,
    isUnreadable: false,
  };
  const tell = (last: Uint8Array) => {
    keep(state, last);
    state.isUnreadable ||= state.bytes > SSE_EVENT_BYTES_MAX;
    const raw = take(state);
    if (!state.isUnreadable) reader.push(raw);
    const { name, data } = state.isUnreadable ? UNREADABLE : (told.pop() ?? NO_EVENT);
    onEvent({ name, data, raw });
  };
  return {
    push: (chunk) => {
      // The chunk belongs to the caller: one copy of it holds the bytes of all its events.
      pushChunk(state, Buffer.from(chunk), tell);
      if (state.bytes > 0 && (state.isUnreadable || state.bytes > SSE_EVENT_BYTES_MAX)) tell(NOTHING);
    },
    rest: () => {
      if (state.isAwaitingLf) tell(NOTHING);
      state.isAwaitingLf = false;
      return take(state);
    },
  };
}

function pushChunk(state: CutState, chunk: Buffer, tell: (last: Uint8Array) => void): void {
  const ends = createLineEnds(chunk);
  let start = 0;
  const tellTo = (end: number) => {
    tell(chunk.subarray(start, end));
    start = end;
  };
  for (let at = 0; at < chunk.length; at += 1) {
    if (state.isAwaitingLf) {
      state.isAwaitingLf = false;
      tellTo(chunk[at] === LF ? at + 1 : at);
    }
    const end = ends.nextFrom(at);
    if (end > at) {
      state.lineBytes += end - at;
      state.isAfterCr = false;
    }
    at = end;
    if (at < chunk.length && endsEvent(state, chunk[at] ?? 0)) tellTo(at + 1);
  }
  keep(state, chunk.subarray(start));
}

/** True where the event ends with this byte, an LF or a CR, for certain. */
function endsEvent(state: CutState, byte: number): boolean {
  const isSecondHalf = byte === LF && state.isAfterCr;
  state.isAfterCr = byte === CR;
  if (isSecondHalf) {
    state.isCrLf = true;
    return false;
  }
  const isBlank = state.lineBytes === 0;
  state.lineBytes = 0;
  state.isAwaitingLf = isBlank && byte === CR && state.isCrLf;
  if (!state.isAwaitingLf) state.isCrLf = false;
  return isBlank && !state.isAwaitingLf;
}

function keep(state: CutState, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  state.bytes += bytes.length;
  state.pieces.push(bytes);
}

function take(state: CutState): Uint8Array {
  const [only] = state.pieces;
  const raw = only !== undefined && state.pieces.length === 1 ? only : Buffer.concat(state.pieces);
  state.pieces = [];
  state.bytes = 0;
  return raw;
}
