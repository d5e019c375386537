import type { AsidePlace } from "../../model/aside.ts";
import type { FollowOptions, InlineCommand, InlineEvent } from "../../model/ports.ts";
import type { RawEvent } from "../shared/stream-write.ts";
import { beginReading, continueReading, hasOwnCall, heldIn, type Reading, seenOf } from "./reading.ts";
import { endItems, ROUND_BYTES_MAX, readItemEvent } from "./reading-items.ts";
import { passEvent } from "./reading-pass.ts";
import { firstNamesOf, mergeSplices, withRepeated } from "./response-json.ts";
import { isWithheld, roundOf } from "./round.ts";
import { addUsage, type RoundUsage } from "./round-usage.ts";
import { errorEvent } from "./stream-error.ts";
import { type ReadEvent, readEvent, type Told } from "./stream-event.ts";

/** Where following a stream stands. */
export type StreamState =
  | { readonly kind: "reading"; readonly reading: Reading }
  /** The provider's response ended with calls that are being answered; `tail` is what the client gets beside its own calls. */
  | {
      readonly kind: "asking";
      readonly reading: Reading;
      readonly place: AsidePlace;
      /** Of all rounds up to this one. */
      readonly usage: RoundUsage;
      readonly tail: readonly Uint8Array[];
    }
  /** No longer followed: everything passes as it comes. */
  | { readonly kind: "passing"; readonly seen: readonly string[]; readonly isStopped: boolean }
  | { readonly kind: "over" };

type Step = readonly [StreamState, readonly InlineCommand[]];
type EndTold = Extract<Told, { kind: "response-ended" }>;

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
  if (event.kind === "failed") return fail(event.error, state.kind === "passing" ? null : state.reading);
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
  if (reading.isStopped) return going(reading, [event.raw]);
  return stepTold(reading, event, readEvent(event));
}

function stepTold(reading: Reading, event: RawEvent, read: ReadEvent): Step {
  const { told } = read;
  switch (told.kind) {
    case "response-begun": {
      if (reading.answered > 0) return going(reading, []);
      const first = firstNamesOf(read.text, told.response);
      const passed = passEvent({ ...reading, first }, event, read, null);
      return going(passed.reading, passed.send);
    }
    case "response-going":
      if (reading.answered > 0) return going(reading, []);
      return pass(reading, event, read);
    case "item-begun":
    case "item-ended":
    case "item-told": {
      const next = readItemEvent(reading, event, read, told);
      return next === null ? giveUp(reading, event.raw) : going(next.reading, next.send);
    }
    case "response-ended":
      return endResponse(reading, event, read, told);
    case "other":
      return pass(reading, event, read);
    case "unreadable":
      return giveUp(reading, event.raw);
  }
}

function pass(reading: Reading, event: RawEvent, read: ReadEvent): Step {
  const passed = passEvent(reading, event, read, null);
  return going(passed.reading, passed.send);
}

/** What the client gets of the end waits while a call is held back: it may be another round that ends the response. */
function endResponse(before: Reading, event: RawEvent, read: ReadEvent, told: EndTold): Step {
  const { text } = read;
  const drafts = withRepeated(before.drafts, text, told.response);
  const isAnswerable = hasOwnCall({ drafts, options: before.options }) && told.isCompleted;
  const isUntold = drafts.some((draft) => draft.json === null && isWithheld(draft));
  if (isAnswerable && isUntold) return giveUp(before, event.raw);
  const settled = endItems({ ...before, drafts }, isAnswerable);
  const { reading } = settled;
  const changes = isChanged(reading) ? mergeSplices(text, told.response, reading) : [];
  const passed = passEvent(reading, event, read, null, changes);
  if (!isAnswerable) return going({ ...passed.reading, isStopped: true }, [...settled.send, ...passed.send]);
  const round = roundOf(reading.drafts, reading.options.toolNames, reading.seenBefore);
  const usage = addUsage(reading.usageBefore, text, told.response);
  const tail = passed.send.map((bytes) => Buffer.from(bytes));
  const asking: StreamState = { kind: "asking", reading, place: round.place, usage, tail };
  return [asking, [...sent(settled.send), { kind: "answer", round }]];
}

function isChanged({ answered, drafts }: Reading): boolean {
  return answered > 0 || drafts.some(isWithheld);
}

function stepAsking(state: Extract<StreamState, { kind: "asking" }>, event: InlineEvent): Step {
  const { reading, place, tail, usage } = state;
  if (event.kind === "event") return [withTail(state, event.raw), []];
  if (event.kind !== "answered") return [state, []];
  if (place === "round") return [{ kind: "reading", reading: continueReading(reading, usage) }, []];
  return [OVER, [...sent(tail), { kind: "end", seen: seenOf(reading) }]];
}

/** What still comes behind the provider's response waits with its end, as far as there is room. */
function withTail(state: Extract<StreamState, { kind: "asking" }>, raw: Uint8Array): StreamState {
  const bytes = state.reading.bytes + raw.length;
  if (bytes > ROUND_BYTES_MAX) return state;
  return { ...state, reading: { ...state.reading, bytes }, tail: [...state.tail, Buffer.from(raw)] };
}

function stepPassing(state: Extract<StreamState, { kind: "passing" }>, event: InlineEvent): Step {
  if (event.kind === "ended") return [OVER, [state.isStopped ? { kind: "end", seen: state.seen } : CUT]];
  if (event.kind !== "event") return [state, []];
  const isStopped = state.isStopped || readEvent(event).told.kind === "response-ended";
  return [{ ...state, isStopped }, sent([event.raw])];
}

/**
 * Where nothing was altered, the client gets what was held back and everything that follows as it comes, the call included. Else
 * what follows would not fit what it has.
 */
function giveUp(reading: Reading, raw: Uint8Array): Step {
  if (reading.isAltered) return fail(NOTHING, reading);
  const held = [...heldIn(reading.withheld), ...heldIn(reading.waiting)].map(({ event }) => event.raw);
  return [{ kind: "passing", seen: seenOf(reading), isStopped: false }, sent([...held, raw])];
}

function fail(error: Uint8Array, reading: Reading | null): Step {
  const last = reading?.lastSequence ?? null;
  return [OVER, [...sent([errorEvent(error, last === null ? null : last + 1)]), CUT]];
}

function going(reading: Reading, bytes: readonly Uint8Array[]): Step {
  return [{ kind: "reading", reading }, sent(bytes)];
}

function sent(bytes: readonly Uint8Array[]): readonly InlineCommand[] {
  return bytes.map((one) => ({ kind: "send", bytes: one }));
}
