import { type RawEvent, rewriteEvent } from "../shared/stream-write.ts";
import { stringAt } from "../shared/value.ts";
import { type CallDraft, draftOfEntry, openCall, withEntry } from "./call-draft.ts";
import type { CallEntry, Chunk } from "./chunk.ts";
import { type ChunkChange, chunkSplices, endSplices, isSilent, openSplices, type ShownEntry } from "./chunk-write.ts";
import { hasHeldCall, hold, type Reading } from "./reading.ts";
import { isHeld } from "./round.ts";
import { updateUsage } from "./round-usage.ts";
import { withThinking } from "./thinking-draft.ts";

/** Most bytes of one round that are followed. */
export const ROUND_BYTES_MAX = 16 * 1024 * 1024;
/** Most calls of one round. */
export const ROUND_CALLS_MAX = 1_024;

/** A chunk taken into the round, and what of it the client gets now. */
export interface ReadChunk {
  readonly reading: Reading;
  readonly send: readonly Uint8Array[];
}

/** Null where the round became too large. */
export function readChunk(before: Reading, event: RawEvent, chunk: Chunk): ReadChunk | null {
  const bytes = before.bytes + event.raw.length;
  const told = takeEntries(withDelta({ ...before, bytes }, chunk), chunk);
  if (bytes > ROUND_BYTES_MAX || told.reading.draft.calls.length > ROUND_CALLS_MAX) return null;
  return written(told.reading, event, chunk, told.shown);
}

function withDelta(reading: Reading, { text, top, deltaMembers, usages, finishReason }: Chunk): Reading {
  const { draft } = reading;
  const id = top.get("id");
  const words = stringAt(text, deltaMembers.get("content")) ?? "";
  const refusal = stringAt(text, deltaMembers.get("refusal")) ?? "";
  const idJson = id === undefined ? null : text.bytes.toString("utf8", id.start, id.end);
  return {
    ...reading,
    idJson: reading.idJson ?? idJson,
    finishReason: finishReason ?? reading.finishReason,
    usage: usages.reduce((usage, span) => updateUsage(usage, text, span), reading.usage),
    draft: {
      ...draft,
      name: draft.name || (stringAt(text, id) ?? ""),
      words: draft.words + words,
      refusal: draft.refusal + refusal,
      thinking: withThinking(draft.thinking, text, deltaMembers),
    },
  };
}

interface TakenEntries {
  readonly reading: Reading;
  /** Entries of calls that the client sees; null where that is every one, under its own index. */
  readonly shown: readonly ShownEntry[] | null;
}

function takeEntries(reading: Reading, { text, entries }: Chunk): TakenEntries {
  const shown: ShownEntry[] = [];
  let now = reading;
  for (const entry of entries) {
    const known = draftOfEntry(now.draft.calls, entry);
    const draft =
      known === null
        ? begun(now, withEntry(openCall(entry, now.draft.calls), text, entry))
        : withEntry(known, text, entry);
    const calls =
      known === null ? [...now.draft.calls, draft] : now.draft.calls.map((one) => (one === known ? draft : one));
    const nextIndex = known === null && !isHeld(draft) ? now.nextIndex + 1 : now.nextIndex;
    now = { ...now, nextIndex, draft: { ...now.draft, calls } };
    if (draft.shownIndex !== null) shown.push({ entry, shownIndex: draft.shownIndex });
  }
  const isWhole = shown.length === entries.length && shown.every(isAsItCame);
  return { reading: now, shown: isWhole ? null : shown };
}

function isAsItCame({ entry, shownIndex }: { readonly entry: CallEntry; readonly shownIndex: number }): boolean {
  return entry.index === null || entry.index === shownIndex;
}

/** A call that is not Ebb's to answer goes on to the client. */
function begun({ options, answered, nextIndex }: Reading, draft: CallDraft): CallDraft {
  const isOurs = answered < options.roundsMax && !draft.isCustom && options.toolNames.has(draft.name);
  return isOurs ? draft : { ...draft, shownIndex: nextIndex };
}

/** What tells how the message ended waits while a call is held back: it may be another round that ends it. */
function written(reading: Reading, event: RawEvent, chunk: Chunk, shown: TakenEntries["shown"]): ReadChunk {
  const isUsage = chunk.usages.length > 0 && chunk.entries.length === 0 && isSilent(chunk, shown);
  const isEnding = (reading.finishReason !== null || isUsage) && hasHeldCall(reading);
  return isEnding ? ending(reading, event, chunk, shown) : going(reading, event, chunk, shown);
}

function going(reading: Reading, event: RawEvent, chunk: Chunk, shown: TakenEntries["shown"]): ReadChunk {
  const isQuiet = isSilent(chunk, shown);
  const hasHeld = shown !== null && shown.length < chunk.entries.length;
  if (isQuiet && hasHeld) return { reading: hold(reading, { raw: event.raw, atEnd: null }), send: [] };
  const splices = chunkSplices(chunk, changeOf(reading, shown));
  if (splices.length === 0) return { reading, send: [event.raw] };
  return { reading: { ...reading, isAltered: true }, send: [rewriteEvent(event, splices)] };
}

/** What an ending chunk says goes out now, its end waits. */
function ending(reading: Reading, event: RawEvent, chunk: Chunk, shown: TakenEntries["shown"]): ReadChunk {
  const change = changeOf(reading, shown);
  const isApart = chunk.entries.length > 0 || !isSilent(chunk, shown);
  const outside = chunkSplices({ ...chunk, delta: null, deltaMembers: NO_MEMBERS }, { ...change, shown: null });
  const splices = isApart ? [...outside, ...endSplices(chunk)] : chunkSplices(chunk, change);
  const atEnd = splices.length === 0 ? event.raw : rewriteEvent(event, splices);
  const held = hold(reading, { raw: event.raw, atEnd });
  if (isSilent(chunk, shown)) return { reading: held, send: [] };
  const now = [...chunkSplices({ ...chunk, usages: [] }, change), ...openSplices(chunk)];
  return { reading: { ...held, isAltered: true }, send: [rewriteEvent(event, now)] };
}

const NO_MEMBERS: Chunk["deltaMembers"] = new Map();

function changeOf({ answered, idJson, usage }: Reading, shown: TakenEntries["shown"]): ChunkChange {
  const isFurther = answered > 0;
  return { shown, idJson: isFurther ? idJson : null, isFurther, usage };
}
