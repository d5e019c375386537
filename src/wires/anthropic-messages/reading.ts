import type { FollowOptions } from "../../model/ports.ts";
import type { BlockDraft } from "./block-draft.ts";
import { isHeld, roundOf } from "./round.ts";
import { NO_USAGE, nextRound, type RoundUsage } from "./round-usage.ts";

/** What is known of a round while its stream is read. */
export interface Reading {
  readonly options: FollowOptions;
  /** Rounds that were answered before. */
  readonly answered: number;
  /** Marks of what the client saw before this round. */
  readonly seenBefore: readonly string[];
  /** What is added to an index of the provider to make it the client's. */
  readonly shift: number;
  /** Index of the next block that the client sees. */
  readonly nextIndex: number;
  readonly drafts: readonly BlockDraft[];
  /** Bytes of the events that are kept, as drafts or as they came. */
  readonly bytes: number;
  readonly held: HeldEvents;
  readonly stopReason: string | null;
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
    shift: 0,
    nextIndex: 0,
    drafts: [],
    bytes: 0,
    held: null,
    stopReason: null,
    usage: NO_USAGE,
    isStopped: false,
    isAltered: false,
  };
}

/** The round behind one that was answered: its blocks go on behind those the client saw. */
export function continueReading(reading: Reading): Reading {
  const { options, answered, nextIndex, usage } = reading;
  return {
    ...beginReading(options),
    answered: answered + 1,
    seenBefore: seenOf(reading),
    shift: nextIndex,
    nextIndex,
    usage: nextRound(usage),
    isAltered: true,
  };
}

/** The round with one more event that waits. It keeps its own bytes and not those that came with them. */
export function hold(reading: Reading, { raw, atEnd }: HeldEvent): Reading {
  const own = Buffer.from(raw);
  const ownAtEnd = atEnd === raw ? own : atEnd;
  return { ...reading, held: { raw: own, atEnd: ownAtEnd, before: reading.held } };
}

/** What waits, in its order. */
export function heldIn({ held }: Reading): readonly HeldEvent[] {
  const events: HeldEvent[] = [];
  for (let one = held; one !== null; one = one.before) events.push(one);
  return events.reverse();
}

/** Marks of everything the client saw. */
export function seenOf({ drafts, seenBefore }: Reading): readonly string[] {
  return roundOf("round", drafts, seenBefore).seen;
}

/** True where a call of the round is held back. */
export function hasHeldCall({ drafts }: Reading): boolean {
  return drafts.some(isHeld);
}
