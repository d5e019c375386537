import { z } from "zod";
import { type Checked, checked } from "./checked.ts";

/** A failure to inject into the next `times` calls that ask for an answer (1 when it is left out). */
export type Fault =
  /** An error instead of an answer; `retryAfter` in seconds. */
  | { readonly status: number; readonly times?: number | undefined; readonly retryAfter?: number | undefined }
  /** The connection breaks after that many events of the stream; at once where the answer is no stream. */
  | { readonly cutAfterEvents: number; readonly times?: number | undefined }
  /** The stream stays open and silent after that many events, until the client leaves. */
  | { readonly stallAfterEvents: number; readonly times?: number | undefined };

/** Checks a fault that came from outside. */
export function parseFault(value: unknown): Checked<Fault> {
  return checked(faultSchema, value);
}

/** Events after which a stream breaks or stalls; null when the fault is of another kind. */
export function eventsBefore(fault: Fault | null, kind: "cut" | "stall"): number | null {
  if (fault === null) return null;
  if (kind === "cut") return "cutAfterEvents" in fault ? fault.cutAfterEvents : null;
  return "stallAfterEvents" in fault ? fault.stallAfterEvents : null;
}

const FAULT = "a fault { status } or { cutAfterEvents } or { stallAfterEvents }, with times";
const STATUS = "a status from 400 to 599";
const EVENTS = "a whole number of 0 or more";
const SECONDS = "seconds of at least 0";

const times = z.int({ error: "a whole number from 1" }).positive({ error: "a whole number from 1" }).optional();
const events = z.int({ error: EVENTS }).nonnegative({ error: EVENTS });
const faultSchema = z.union(
  [
    z.strictObject(
      {
        status: z.int({ error: STATUS }).min(400, { error: STATUS }).max(599, { error: STATUS }),
        times,
        retryAfter: z.number({ error: SECONDS }).nonnegative({ error: SECONDS }).optional(),
      },
      { error: FAULT },
    ),
    z.strictObject({ cutAfterEvents: events, times }, { error: FAULT }),
    z.strictObject({ stallAfterEvents: events, times }, { error: FAULT }),
  ],
  { error: FAULT },
);
