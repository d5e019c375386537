import type { RawEvent } from "../shared/stream-write.ts";
import { endHolding, type Held, type HeldKind, holdItem } from "./holding.ts";
import { endItem, type ItemDraft, isOwnCall, openItem } from "./item-draft.ts";
import { addHeld, type HeldEvents, heldIn, type Reading } from "./reading.ts";
import { passEvent } from "./reading-pass.ts";
import { type ReadEvent, readEvent, type Told } from "./stream-event.ts";

/** Most bytes of one round that are kept; beyond them it is no longer followed. */
export const ROUND_BYTES_MAX = 16 * 1024 * 1024;
/** Most items of one round. */
export const ROUND_ITEMS_MAX = 4_096;

type ItemTold = Extract<Told, { kind: "item-begun" | "item-ended" | "item-told" }>;

/** A round after something was told of it, and what of that the client gets. */
export interface ReadStep {
  readonly reading: Reading;
  readonly send: readonly Uint8Array[];
}

/** An item's event taken into the round; null where the round became too large. */
export function readItemEvent(before: Reading, event: RawEvent, read: ReadEvent, told: ItemTold): ReadStep | null {
  if (told.kind === "item-begun") {
    return before.drafts.length < ROUND_ITEMS_MAX ? beginItem(before, event, read, told) : null;
  }
  const at = before.drafts.findLastIndex(({ index }) => index === told.index);
  const draft = before.drafts[at];
  if (draft === undefined)
    return told.kind === "item-ended" ? wholeItem(before, event, read, told) : passEvent(before, event, read, null);
  const ended = told.kind === "item-ended" ? endItem(draft, read.text, told.item) : draft;
  const isKept = ended !== draft || draft.shownIndex === null;
  const bytes = before.bytes + (isKept ? event.raw.length : 0);
  if (bytes > ROUND_BYTES_MAX) return null;
  const reading = ended === draft ? { ...before, bytes } : { ...before, bytes, drafts: before.drafts.with(at, ended) };
  if (draft.shownIndex !== null) return passEvent(reading, event, read, draft.shownIndex);
  return { reading: holdEvent(reading, event, told.index), send: [] };
}

/** What waited for the end of the response. `isAnswered`: its calls are answered next. */
export function endItems(reading: Reading, isAnswered: boolean): ReadStep {
  return settle(reading, endHolding(reading.holding, isAnswered));
}

/** An item that is told whole at once. */
function wholeItem(
  before: Reading,
  event: RawEvent,
  read: ReadEvent,
  { index, item }: Extract<ItemTold, { kind: "item-ended" }>,
): ReadStep | null {
  if (before.drafts.length >= ROUND_ITEMS_MAX) return null;
  const begun = beginItem(before, event, read, { kind: "item-begun", index, item });
  const draft = begun?.reading.drafts.at(-1);
  if (begun === null || draft === undefined) return null;
  const drafts = begun.reading.drafts.with(-1, endItem(draft, read.text, item));
  return { reading: { ...begun.reading, drafts }, send: begun.send };
}

function beginItem(
  before: Reading,
  event: RawEvent,
  read: ReadEvent,
  told: Extract<ItemTold, { kind: "item-begun" }>,
): ReadStep | null {
  const bytes = before.bytes + event.raw.length;
  if (bytes > ROUND_BYTES_MAX) return null;
  const draft = openItem(told.index, read.text, told.item);
  const kind = kindOf(draft, before);
  const { reading, send } = settle({ ...before, bytes }, holdItem(before.holding, kind, told.index));
  if (kind !== "other") {
    const isRenumbered = reading.isRenumbered || kind === "own-call";
    const next = { ...reading, isRenumbered, drafts: [...reading.drafts, draft] };
    return { reading: holdEvent(next, event, told.index), send };
  }
  const shownIndex = placeOf(reading, told.index, 0);
  const drafts = [...reading.drafts, { ...draft, shownIndex }];
  const nextIndex = Math.max(reading.nextIndex, shownIndex + 1);
  const passed = passEvent({ ...reading, drafts, nextIndex }, event, read, shownIndex);
  return { reading: passed.reading, send: [...send, ...passed.send] };
}

/** Where the client is told of an item: where the provider tells of it, until something was left out. */
function placeOf({ isRenumbered, nextIndex }: Reading, index: number, count: number): number {
  return isRenumbered ? nextIndex + count : index;
}

/** Once no call is answered any more nothing waits. */
function kindOf(draft: ItemDraft, { answered, options }: Reading): HeldKind {
  if (answered >= options.roundsMax) return "other";
  if (isOwnCall(draft, options.toolNames)) return "own-call";
  return draft.type === "reasoning" ? "reasoning" : "other";
}

function holdEvent(reading: Reading, event: RawEvent, index: number): Reading {
  const { holding, waiting, withheld } = reading;
  const isWaiting = holding.reasoning.includes(index) || holding.calls.includes(index);
  if (isWaiting) return { ...reading, waiting: addHeld(waiting, event, index) };
  return { ...reading, withheld: addHeld(withheld, event, index) };
}

/** Shows the client what it may see now, numbered behind what it saw; the rest of what waited is withheld. */
function settle(before: Reading, { holding, shown, isSettled }: Held): ReadStep {
  if (!isSettled || before.waiting === null) return { reading: { ...before, holding }, send: [] };
  const indexes = new Map(shown.map((index, count) => [index, placeOf(before, index, count)]));
  const drafts = before.drafts.map((draft) => ({ ...draft, shownIndex: indexes.get(draft.index) ?? draft.shownIndex }));
  let withheld: HeldEvents = before.withheld;
  const nextIndex = Math.max(before.nextIndex, ...Array.from(indexes.values(), (index) => index + 1));
  let reading: Reading = { ...before, holding, drafts, waiting: null, nextIndex };
  const send: Uint8Array[] = [];
  for (const { event, index } of heldIn(before.waiting)) {
    const shownIndex = indexes.get(index);
    if (shownIndex === undefined) {
      withheld = addHeld(withheld, event, index);
      continue;
    }
    const passed = passEvent(reading, event, readEvent(event), shownIndex);
    reading = passed.reading;
    send.push(...passed.send);
  }
  return { reading: { ...reading, withheld }, send };
}
