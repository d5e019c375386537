import { type RawEvent, rewriteEvent } from "../shared/stream-write.ts";
import { addDelta, type BlockDraft, openBlock } from "./block-draft.ts";
import { hold, type Reading } from "./reading.ts";
import { isInlineCall } from "./round.ts";
import type { Told } from "./stream-event.ts";

/** Most bytes of one round that are kept; beyond them it is no longer followed. */
export const ROUND_BYTES_MAX = 16 * 1024 * 1024;
/** Most blocks of one round. */
export const ROUND_BLOCKS_MAX = 4_096;

type BlockEvent = Extract<Told, { kind: "block-start" | "block-delta" | "block-stop" }>;

interface ReadBlock {
  readonly reading: Reading;
  readonly send: readonly Uint8Array[];
}

/** A block's event taken into the round, and what of it the client gets; null where the round became too large. */
export function readBlockEvent(before: Reading, event: RawEvent, told: BlockEvent): ReadBlock | null {
  const bytes = before.bytes + event.raw.length;
  if (bytes > ROUND_BYTES_MAX) return null;
  if (told.kind === "block-start") {
    return before.drafts.length < ROUND_BLOCKS_MAX ? startBlock({ ...before, bytes }, event, told) : null;
  }
  const at = before.drafts.findLastIndex(({ index }) => index === told.index);
  const draft = before.drafts[at];
  if (draft === undefined) return pass({ ...before, bytes }, event, told, told.index + before.shift);
  if (told.kind === "block-stop") return pass({ ...before, bytes }, event, told, draft.shownIndex);
  const drafts = before.drafts.with(at, addDelta(draft, told.delta));
  return pass({ ...before, bytes, drafts }, event, told, draft.shownIndex);
}

function startBlock(reading: Reading, event: RawEvent, told: Extract<BlockEvent, { kind: "block-start" }>): ReadBlock {
  const { options, answered, drafts, shift, nextIndex } = reading;
  const opened = openBlock(told.index, told.block);
  if (answered < options.roundsMax && isInlineCall(opened, options.toolNames)) {
    return pass({ ...reading, drafts: [...drafts, opened], shift: shift - 1 }, event, told, null);
  }
  const shownIndex = told.index + shift;
  const draft: BlockDraft = { ...opened, shownIndex };
  const next = { ...reading, drafts: [...drafts, draft], nextIndex: Math.max(nextIndex, shownIndex + 1) };
  return pass(next, event, told, shownIndex);
}

/** The very bytes where the client's index is the provider's; nothing without an index. */
function pass(reading: Reading, event: RawEvent, told: BlockEvent, shownIndex: number | null): ReadBlock {
  if (shownIndex === null) {
    return { reading: hold(reading, { raw: event.raw, atEnd: null }), send: [] };
  }
  if (shownIndex === told.index) return { reading, send: [event.raw] };
  const bytes = rewriteEvent(event, [{ ...told.indexSpan, bytes: Buffer.from(String(shownIndex)) }]);
  return { reading: { ...reading, isAltered: true }, send: [bytes] };
}
