import type { AsidePlace } from "../../model/aside.ts";
import type { FollowOptions, InlineCommand, InlineEvent } from "../../model/ports.ts";
import { insertion } from "../shared/splice.ts";
import { type RawEvent, rewriteEvent } from "../shared/stream-write.ts";
import { beginReading, continueReading, hasHeldCall, heldIn, hold, type Reading, seenOf } from "./reading.ts";
import { ROUND_BYTES_MAX, readBlockEvent } from "./reading-blocks.ts";
import { placeOf, roundOf } from "./round.ts";
import { beginUsage, updateUsage, usageJson } from "./round-usage.ts";
import { errorEvent } from "./stream-error.ts";
import { readEvent, type Told } from "./stream-event.ts";

/** Where following a stream stands. */
export type StreamState =
  | { readonly kind: "reading"; readonly reading: Reading }
  /** The provider's message ended with calls that are being answered; `tail` is what the client gets then. */
  | {
      readonly kind: "asking";
      readonly reading: Reading;
      readonly place: AsidePlace;
      readonly tail: readonly Uint8Array[];
    }
  /** No longer followed: everything passes as it comes. */
  | { readonly kind: "passing"; readonly seen: readonly string[]; readonly isStopped: boolean }
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
  if (event.kind === "ended") {
    return [OVER, [reading.isStopped ? { kind: "end", seen: seenOf(reading) } : CUT]];
  }
  if (event.kind !== "event") return [{ kind: "reading", reading }, []];
  return reading.isStopped ? going(reading, [event.raw]) : stepTold(reading, event, readEvent(event));
}

function stepTold(reading: Reading, event: RawEvent, told: Told): Step {
  switch (told.kind) {
    case "message-start": {
      const { usage } = told;
      const begun = usage === null ? reading.usage : beginUsage(reading.usage, usage.text, usage.span);
      return going({ ...reading, usage: begun }, reading.answered === 0 ? [event.raw] : []);
    }
    case "block-start":
    case "block-delta":
    case "block-stop": {
      const read = readBlockEvent(reading, event, told);
      return read === null ? giveUp(reading, event.raw) : going(read.reading, read.send);
    }
    case "message-delta":
      return endMessage(reading, event, told);
    case "message-stop":
      return stop(reading, event.raw);
    case "other":
      return going(reading, [event.raw]);
    case "unreadable":
      return giveUp(reading, event.raw);
  }
}

/** What tells how the message ended waits while a call is held back: it may be another round that ends it. */
function endMessage(before: Reading, event: RawEvent, told: Extract<Told, { kind: "message-delta" }>): Step {
  const usage = told.usage === null ? before.usage : updateUsage(before.usage, told.text, told.usage);
  const reading = { ...before, usage, stopReason: told.stopReason ?? before.stopReason };
  const bytes = reading.answered === 0 ? event.raw : withUsage(reading, event, told);
  if (!hasHeldCall(reading)) return going(reading, [bytes]);
  return going(hold(reading, { raw: event.raw, atEnd: bytes }), []);
}

function withUsage(reading: Reading, event: RawEvent, told: Extract<Told, { kind: "message-delta" }>): Uint8Array {
  const json = usageJson(reading.usage, told.text, told.usage);
  if (told.usage !== null) return rewriteEvent(event, [{ ...told.usage, bytes: Buffer.from(json) }]);
  return rewriteEvent(event, [insertion(told.close, `,"usage":${json}`)]);
}

function stop(reading: Reading, raw: Uint8Array): Step {
  const held = heldIn(reading).flatMap(({ atEnd }) => (atEnd === null ? [] : [atEnd]));
  const isAnswerable = hasHeldCall(reading) && reading.stopReason === "tool_use";
  if (!isAnswerable) return going({ ...reading, isStopped: true }, [...held, raw]);
  const tail = [...held, Buffer.from(raw)];
  const place = placeOf(reading.drafts);
  const round = roundOf(place, reading.drafts, reading.seenBefore);
  return [{ kind: "asking", reading, place, tail }, [{ kind: "answer", round }]];
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
  if (event.kind === "ended") return [OVER, [state.isStopped ? { kind: "end", seen: state.seen } : CUT]];
  if (event.kind !== "event") return [state, []];
  const isStopped = state.isStopped || readEvent(event).kind === "message-stop";
  return [{ ...state, isStopped }, sent([event.raw])];
}

/**
 * Where nothing was altered, the client gets what was held back and everything that follows as it comes, the call included. Else
 * what follows would not fit what it has.
 */
function giveUp(reading: Reading, raw: Uint8Array): Step {
  if (reading.isAltered) return fail(NOTHING);
  return [
    { kind: "passing", seen: seenOf(reading), isStopped: false },
    sent([...heldIn(reading).map((held) => held.raw), raw]),
  ];
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
