import type { Splice } from "../shared/splice.ts";
import { type RawEvent, rewriteEvent } from "../shared/stream-write.ts";
import type { Reading } from "./reading.ts";
import type { ReadEvent, ToldCount } from "./stream-event.ts";

/**
 * An event on its way to the client: the very bytes where its numbers are the client's. `shownIndex` null: the place that it states
 * stays.
 */
export function passEvent(
  reading: Reading,
  event: RawEvent,
  { sequence, index }: Pick<ReadEvent, "sequence" | "index">,
  shownIndex: number | null,
  changes: readonly Splice[] = [],
): { readonly reading: Reading; readonly send: readonly Uint8Array[] } {
  const { lastSequence, isRenumbered } = reading;
  const own = sequence?.value ?? null;
  const number = own !== null && isRenumbered && lastSequence !== null ? lastSequence + 1 : own;
  const splices = [...changes, ...numbered(sequence, number), ...numbered(index, shownIndex)];
  const next = { ...reading, lastSequence: number ?? lastSequence };
  if (splices.length === 0) return { reading: next, send: [event.raw] };
  return { reading: { ...next, isAltered: true }, send: [rewriteEvent(event, splices)] };
}

function numbered(told: ToldCount | null, value: number | null): readonly Splice[] {
  if (told === null || value === null || told.value === value) return [];
  return [{ ...told.span, bytes: Buffer.from(String(value)) }];
}
