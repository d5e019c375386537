import type { InlineRound } from "../../model/aside.ts";
import type { FollowOptions, InlineCommand, InlineEvent } from "../../model/ports.ts";
import type { RawEvent } from "../shared/stream-write.ts";
import { readEvent, type Told } from "./chunk.ts";
import { ROUND_BYTES_MAX, readChunk } from "./follow-chunk.ts";
import { beginReading, continueReading, hasHeldCall, heldIn, type Reading, seenOf } from "./reading.ts";
import { isAnswerable, roundOf } from "./round.ts";
import { errorEvent } from "./stream-error.ts";

/** Where following a stream stands. */
export type StreamState =
  | { readonly kind: "reading"; readonly reading: Reading }
  /** The provider's message ended with calls that are being answered; `tail` is what the client gets then. */
  | {
      readonly kind: "asking";
      readonly reading: Reading;
      readonly place: InlineRound["place"];
      readonly tail: readonly Uint8Array[];
    }
  /** No longer followed: everything passes as it comes. */
  | { readonly kind: "passing"; readonly seen: readonly string[] }
  | { readonly kind: "over" };

type Step = readonly [StreamState, readonly InlineCommand[]];

const OVER: StreamState = { kind: "over" };
const CUT: InlineCommand = { kind: "cut" };
const NOTHING = new Uint8Array(0);

/** Before the first event. */
export function beginStream(options: FollowOptions): StreamState {
  return { kind: "reading", reading: beginReading(options) };
}

/** The next state, and what is to be done. */
export function stepStream(state: StreamState, event: InlineEvent): Step {
  if (state.kind === "over") return [OVER, []];
  if (event.kind === "failed") return fail(event.error);
  switch (state.kind) {
    case "reading":
      return stepReading(state.reading, event);
    case "asking":
      return stepAsking(state, event);
    case "passing":
      return stepPassing(state, event);
  }
}

function stepReading(reading: Reading, event: InlineEvent): Step {
  if (event.kind === "ended") return endReading(reading);
  if (event.kind !== "event") return [{ kind: "reading", reading }, []];
  return reading.isStopped ? going(reading, [event.raw]) : stepTold(reading, event, readEvent(event));
}

/** Some servers end a stream without saying so: then the message ended with its reason, and what passed as it came ends as it came. */
function endReading(reading: Reading): Step {
  const isBroken = !reading.isStopped && reading.finishReason === null;
  if (isBroken && (reading.answered > 0 || hasHeldCall(reading))) return [OVER, [CUT]];
  const [state, commands] = reading.isStopped ? going(reading, []) : stop(reading, []);
  if (state.kind !== "reading") return [state, commands];
  return [OVER, [...commands, { kind: "end", seen: seenOf(state.reading) }]];
}

function stepTold(reading: Reading, event: RawEvent, told: Told): Step {
  switch (told.kind) {
    case "chunk": {
      const read = readChunk(reading, event, told.chunk);
      return read === null ? giveUp(reading, event.raw) : going(read.reading, read.send);
    }
    case "done":
      return stop(reading, [event.raw]);
    case "error":
      return going({ ...reading, finishReason: reading.finishReason ?? "error" }, [event.raw]);
    case "other":
      return going(reading, [event.raw]);
    case "unreadable":
      return giveUp(reading, event.raw);
  }
}

function stop(reading: Reading, last: readonly Uint8Array[]): Step {
  const tail = [...heldIn(reading).flatMap(({ atEnd }) => atEnd ?? []), ...last.map((raw) => Buffer.from(raw))];
  const isAsked = hasHeldCall(reading) && isAnswerable(reading.finishReason);
  if (!isAsked) return going({ ...reading, isStopped: true }, tail);
  const round = roundOf(reading.draft, reading.seenBefore);
  return [{ kind: "asking", reading, place: round.place, tail }, [{ kind: "answer", round }]];
}

function stepAsking(state: Extract<StreamState, { kind: "asking" }>, event: InlineEvent): Step {
  const { reading, place, tail } = state;
  if (event.kind === "event") return [withTail(state, event.raw), []];
  if (event.kind !== "answered") return [state, []];
  if (place === "round") return [{ kind: "reading", reading: continueReading(reading) }, []];
  return [OVER, [...sent(tail), { kind: "end", seen: seenOf(reading) }]];
}

/** What still comes behind the provider's message waits with its end, as far as there is room. */
function withTail(state: Extract<StreamState, { kind: "asking" }>, raw: Uint8Array): StreamState {
  const bytes = state.reading.bytes + raw.length;
  if (bytes > ROUND_BYTES_MAX) return state;
  return { ...state, reading: { ...state.reading, bytes }, tail: [...state.tail, Buffer.from(raw)] };
}

function stepPassing(state: Extract<StreamState, { kind: "passing" }>, event: InlineEvent): Step {
  if (event.kind === "ended") return [OVER, [{ kind: "end", seen: state.seen }]];
  return event.kind === "event" ? [state, sent([event.raw])] : [state, []];
}

/**
 * Where nothing was altered, the client gets what was held back and everything that follows as it comes, the call included. Else
 * what follows would not fit what it has.
 */
function giveUp(reading: Reading, raw: Uint8Array): Step {
  if (reading.isAltered) return fail(NOTHING);
  return [{ kind: "passing", seen: seenOf(reading) }, sent([...heldIn(reading).map((held) => held.raw), raw])];
}

function fail(error: Uint8Array): Step {
  return [OVER, [...sent([errorEvent(error)]), CUT]];
}

function going(reading: Reading, bytes: readonly Uint8Array[]): Step {
  return [{ kind: "reading", reading }, sent(bytes)];
}

function sent(bytes: readonly Uint8Array[]): readonly InlineCommand[] {
  return bytes.map((one) => ({ kind: "send", bytes: one }));
}
