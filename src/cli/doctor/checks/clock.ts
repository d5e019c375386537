import { type Check, type ClockReading, readClocks } from "../check.ts";
import { type Finding, ok, warn } from "../finding.ts";

const AREA = "clock";
/** Clocks of two processes may differ by so much without harm, in milliseconds. */
const AHEAD_MS = 5 * 60 * 1000;
/** How far the clock may run from one that never jumps, while the doctor looks. */
const JUMP_MS = 2_000;
/** Before Ebb was written. */
const EARLIEST_MS = Date.UTC(2025, 0, 1);

const FIX = "set the clock: timedatectl set-ntp true, or the date settings of your system";

/** This machine's clock, against the store and against one that cannot jump. */
export const clockCheck: Check = {
  area: AREA,
  name: "system clock",
  deadlineMs: 500,
  async run({ machine, startedAt, store }) {
    const look = store();
    const newestAtMs = look.kind === "opened" ? look.newestAtMs : null;
    return [judgeClock({ started: startedAt, now: readClocks(machine), newestAtMs })];
  },
};

/** What was seen of the clock. */
export interface ClockSeen {
  readonly started: ClockReading;
  readonly now: ClockReading;
  /** Time of the store's newest entry; null where there is none. */
  readonly newestAtMs: number | null;
}

/** What to think of the clock: what it decides is when a cache has expired and when an original has grown old. */
export function judgeClock({ started, now, newestAtMs }: ClockSeen): Finding {
  const date = new Date(now.wallMs).toISOString();
  if (now.wallMs < EARLIEST_MS) return warn(AREA, "system clock", { words: `it says ${date}`, fix: FIX });
  if (newestAtMs !== null && newestAtMs > now.wallMs + AHEAD_MS) {
    const newest = new Date(newestAtMs).toISOString();
    return warn(AREA, "system clock", {
      words: `it says ${date}, and the store's newest entry is of ${newest}`,
      fix: FIX,
    });
  }
  const jumpMs = Math.abs(now.wallMs - started.wallMs - (now.steadyMs - started.steadyMs));
  if (jumpMs > JUMP_MS) {
    return warn(AREA, "system clock", { words: `it jumped by ${Math.round(jumpMs / 1000)} s just now`, fix: FIX });
  }
  return ok(AREA, "system clock", date);
}
