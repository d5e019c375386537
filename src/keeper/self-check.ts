import type { Decision } from "../model/decision.ts";
import type { Edit } from "../model/edit.ts";
import type { ReadMemo, Wire, WireRoute, WireSource } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { statedBlocks } from "./self-check-additions.ts";
import type { Meant } from "./self-check-blocks.ts";
import { breakpointFault } from "./self-check-breakpoints.ts";
import { compareBlocks } from "./self-check-walk.ts";

/**
 * Reads a written body back and compares it with what was meant: every item in its place, unchanged but for the
 * replaced ones, and the `extras`, edits beside those, each where it is stated. Words name the first difference; null when
 * the body is sound.
 */
export function checkWritten(
  written: Written,
  inForce: readonly Decision[],
  extras: readonly Edit[] = [],
): string | null {
  return readBack(written, markersOf(inForce), extras);
}

/** What decisions in force mean to stand in the place of their items. */
export function markersOf(inForce: readonly Decision[]): Meant {
  return { kind: "markers", markers: new Map(inForce.map(({ itemKey, marker }) => [itemKey, marker])) };
}

export interface Written {
  readonly wire: Wire;
  /** Null: nothing is known beside the body. */
  readonly route: WireRoute | null;
  readonly slices: readonly Uint8Array[];
  /** The body that came. */
  readonly before: WireSource;
  readonly memo: ReadMemo;
}

/** Like `checkWritten`, for whatever was meant. */
export function readBack(
  { wire, route, slices, before, memo }: Written,
  meant: Meant,
  extras: readonly Edit[] = [],
): string | null {
  const read = wire.read(Buffer.concat(slices), memo, route);
  if (!read.ok) return `the written body cannot be read: ${read.words}`;
  const after = read.source;
  const { header } = before.transcript;
  const headerFault = differentHeader(header, after.transcript.header, extras);
  if (headerFault !== null) return headerFault;
  const { fault, places } = compareBlocks(before, after, { meant, stated: statedBlocks(before.transcript, extras) });
  return fault ?? breakpointFault(before, after.transcript, extras, places);
}

function differentHeader(before: RequestHeader, after: RequestHeader, extras: readonly Edit[]): string | null {
  const isSame =
    after.cacheKey === before.cacheKey &&
    after.model === before.model &&
    after.isStreaming === before.isStreaming &&
    after.headBreakpoints === before.headBreakpoints;
  if (!isSame) return "tools, system or parameters differ";
  const mayClear = before.hasServerClear || extras.some(({ kind }) => kind === "server-clear");
  const isClearing = after.hasServerClear === before.hasServerClear || mayClear;
  return isClearing ? null : "the provider is asked to clear what nobody decided";
}
