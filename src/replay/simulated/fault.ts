import { z } from "zod";

/** A failure to inject into the next `times` calls of `POST /v1/messages` (1 when it is left out). */
export type Fault =
  /** An error instead of an answer; `retryAfter` in seconds. */
  | { readonly status: number; readonly times?: number | undefined; readonly retryAfter?: number | undefined }
  /** The connection breaks after that many events of the stream; at once where the answer is no stream. */
  | { readonly cutAfterEvents: number; readonly times?: number | undefined }
  /** The stream stays open and silent after that many events, until the client leaves. */
  | { readonly stallAfterEvents: number; readonly times?: number | undefined };

export type ParsedFault = { readonly ok: true; readonly fault: Fault } | { readonly ok: false; readonly words: string };

/** Checks a fault that came from outside. */
export function parseFault(value: unknown): ParsedFault {
  const parsed = faultSchema.safeParse(value);
  return parsed.success ? { ok: true, fault: parsed.data } : { ok: false, words: z.prettifyError(parsed.error) };
}

/** Events after which a stream breaks or stalls; null when the fault is of another kind. */
export function eventsBefore(fault: Fault | null, kind: "cut" | "stall"): number | null {
  if (fault === null) return null;
  if (kind === "cut") return "cutAfterEvents" in fault ? fault.cutAfterEvents : null;
  return "stallAfterEvents" in fault ? fault.stallAfterEvents : null;
}

const times = z.int().positive().optional();
const faultSchema = z.union([
  z.strictObject({ status: z.int().min(400).max(599), times, retryAfter: z.number().nonnegative().optional() }),
  z.strictObject({ cutAfterEvents: z.int().nonnegative(), times }),
  z.strictObject({ stallAfterEvents: z.int().nonnegative(), times }),
]);
