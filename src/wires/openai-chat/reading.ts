import type { FollowOptions } from "../../model/ports.ts";
import { blankOf, isHeld, type MessageDraft, NO_MESSAGE, roundOf } from "./round.ts";
import { NO_USAGE, nextRound, type RoundUsage } from "./round-usage.ts";

/** What is known of a round while its stream is read. */
export interface Reading {
  readonly options: FollowOptions;
  /** Rounds that were answered before. */
  readonly answered: number;
  /** Marks of what the client saw before this round. */
  readonly seenBefore: readonly string[];
  readonly draft: MessageDraft;
  /** JSON of the id that the client knows the message by; null before any was told. */
  readonly idJson: string | null;
  /** Index of the next call that the client sees. */
  readonly nextIndex: number;
  /** Bytes of the events of the round. */
  readonly bytes: number;
  readonly held: HeldEvents;
  readonly finishReason: string | null;
  readonly usage: RoundUsage;
  /** The provider's message ended, and everything of it was sent. */
  readonly isStopped: boolean;
  /** The client got something else than it would have got from the provider, beside what is held back. */
  readonly isAltered: boolean;
}

/** Events that wait, the last one first, so that one more costs the same however many there are. */
export type HeldEvents = (HeldEvent & { readonly before: HeldEvents }) | null;

/** An event that waits. */
export interface HeldEvent {
  readonly raw: Uint8Array;
  /** What the client gets of it at the end of the message; null for parts of a call. */
  readonly atEnd: Uint8Array | null;
}

/** The first round. */
export function beginReading(options: FollowOptions): Reading {
  return {
    options,
    answered: 0,
    seenBefore: [],
    draft: NO_MESSAGE,
    idJson: null,
    nextIndex: 0,
    bytes: 0,
    held: null,
    finishReason: null,
    usage: NO_USAGE,
    isStopped: false,
    isAltered: false,
  };
}

/** The round behind one that was answered: it goes on with the same message. */
export function continueReading(reading: Reading): Reading {
  const { options, answered, idJson, usage, draft } = reading;
  return {
    ...beginReading(options),
    draft: { ...NO_MESSAGE, blank: blankOf(draft) },
    answered: answered + 1,
    seenBefore: seenOf(reading),
    idJson,
    usage: nextRound(usage),
    isAltered: true,
  };
}

/** The round with one more event that waits. It keeps its own bytes and not those that came with them. */
export function hold(reading: Reading, { raw, atEnd }: HeldEvent): Reading {
  const own = Buffer.from(raw);
  return { ...reading, held: { raw: own, atEnd: atEnd === raw ? own : atEnd, before: reading.held } };
}

/** What waits, in its order. */
export function heldIn({ held }: Pick<Reading, "held">): readonly HeldEvent[] {
  const events: HeldEvent[] = [];
  for (let one = held; one !== null; one = one.before) events.push(one);
  return events.reverse();
}

/** Marks of everything the client saw. */
export function seenOf({ draft, seenBefore }: Reading): readonly string[] {
  return roundOf(draft, seenBefore).seen;
}

/** True where a call of the round is held back. */
export function hasHeldCall({ draft }: Reading): boolean {
  return draft.calls.some(isHeld);
}
