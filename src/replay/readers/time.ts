/** Unix milliseconds of a date in words, or of a number of seconds or milliseconds; null for anything else. */
export function timeOf(value: unknown): number | null {
  if (typeof value === "string") {
    const atMs = Date.parse(value);
    return Number.isNaN(atMs) ? null : atMs;
  }
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return null;
  return value < SECONDS_MAX ? Math.round(value * 1_000) : value;
}

/** Seconds since 1970 stay below this for millennia, milliseconds passed it in 1973. */
const SECONDS_MAX = 100_000_000_000;
