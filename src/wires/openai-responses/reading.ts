import type { FollowOptions } from "../../model/ports.ts";
import type { RawEvent } from "../shared/stream-write.ts";
import { type Holding, NOTHING_HELD } from "./holding.ts";
import { type ItemDraft, isOwnCall } from "./item-draft.ts";
import type { FirstNames, Rounds } from "./response-json.ts";
import { isWithheld, roundOf } from "./round.ts";
import { NO_USAGE, type RoundUsage } from "./round-usage.ts";

/** What is known of a round while its stream is read. */
export interface Reading extends Rounds {
  readonly options: FollowOptions;
  /** Rounds that were answered before. */
  readonly answered: number;
  /** Marks of what the client saw before this round. */
  readonly seenBefore: readonly string[];
  readonly shownBefore: readonly string[];
  readonly usageBefore: RoundUsage;
  readonly first: FirstNames | null;
  readonly drafts: readonly ItemDraft[];
  readonly holding: Holding;
  /** Place of the next item that the client sees. */
  readonly nextIndex: number;
  /** Number of the last event that the client got; null before a numbered one. */
  readonly lastSequence: number | null;
  /** Events were left out, so that numbers count on from the last one. */
  readonly isRenumbered: boolean;
  /** Bytes of what is kept. */
  readonly bytes: number;
  /** Events of items that may still be shown, and of those that will not be. */
  readonly waiting: HeldEvents;
  readonly withheld: HeldEvents;
  /** The provider's response ended, and everything of it was sent. */
  readonly isStopped: boolean;
  /** The client got something else than it would have got from the provider, beside what is held back. */
  readonly isAltered: boolean;
}

/** Events that wait, the last one first, so that one more costs the same however many there are. */
export type HeldEvents = { readonly event: RawEvent; readonly index: number; readonly before: HeldEvents } | null;

/** The first round. */
export function beginReading(options: FollowOptions): Reading {
  return {
    options,
    answered: 0,
    seenBefore: [],
    shownBefore: [],
    usageBefore: NO_USAGE,
    first: null,
    drafts: [],
    holding: NOTHING_HELD,
    nextIndex: 0,
    lastSequence: null,
    isRenumbered: false,
    bytes: 0,
    waiting: null,
    withheld: null,
    isStopped: false,
    isAltered: false,
  };
}

/** The round behind one that was answered: its items go on behind those the client saw. */
export function continueReading(reading: Reading, usage: RoundUsage): Reading {
  const { options, answered, first, nextIndex, lastSequence, shownBefore, drafts } = reading;
  const shown = drafts.flatMap((draft) => (isWithheld(draft) || draft.json === null ? [] : [draft.json]));
  return {
    ...beginReading(options),
    answered: answered + 1,
    seenBefore: seenOf(reading),
    shownBefore: [...shownBefore, ...shown],
    usageBefore: usage,
    first,
    nextIndex,
    lastSequence,
    isRenumbered: true,
    isAltered: true,
  };
}

/** The events with one more. It keeps its own bytes and not those that came with them. */
export function addHeld(events: HeldEvents, { raw, name, data }: RawEvent, index: number): HeldEvents {
  return { event: { raw: Buffer.from(raw), name, data }, index, before: events };
}

/** Events in their order. */
export function heldIn(events: HeldEvents): readonly { readonly event: RawEvent; readonly index: number }[] {
  const list: { readonly event: RawEvent; readonly index: number }[] = [];
  for (let one = events; one !== null; one = one.before) list.push({ event: one.event, index: one.index });
  return list.reverse();
}

/** Marks of everything the client saw. */
export function seenOf({ drafts, options, seenBefore }: Reading): readonly string[] {
  return roundOf(drafts, options.toolNames, seenBefore).seen;
}

/** True where a call of the round is held back. */
export function hasOwnCall({ drafts, options }: Pick<Reading, "drafts" | "options">): boolean {
  return drafts.some((draft) => isWithheld(draft) && isOwnCall(draft, options.toolNames));
}
