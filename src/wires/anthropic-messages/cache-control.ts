import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import { stringAt } from "../shared/value.ts";

/** Name of the member that marks a cache breakpoint; it belongs to the client and is part of no key and no digest. */
export const CACHE_CONTROL = "cache_control";

const MS_PER_UNIT = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
]);
const TTL_DEFAULT_MS = 300_000;

/** The longest lifetime the provider documents, in milliseconds. */
export const TTL_LONGEST_MS = 3_600_000;

/**
 * Lifetime that a `cache_control` value asks for; null when it is absent or no breakpoint. A lifetime that is not understood counts as
 * the longest one documented, so that a cache is never thought colder than it is.
 */
export function ttlOf(text: JsonBytes, span: Span | undefined): number | null {
  if (span === undefined || text.bytes[span.start] !== 0x7b) return null;
  const ttl = membersOf(text, span.start).spans.get("ttl");
  if (ttl === undefined) return TTL_DEFAULT_MS;
  const [, count, unit] = /^(\d{1,6})([mh])$/.exec(stringAt(text, ttl) ?? "") ?? [];
  return Number(count) * (MS_PER_UNIT.get(unit ?? "") ?? Number.NaN) || TTL_LONGEST_MS;
}

/** The longer of two lifetimes. */
export function longerTtl(one: number | null, other: number | null): number | null {
  return one === null || (other !== null && other > one) ? other : one;
}
