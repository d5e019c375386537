import type { Mode } from "../keeper/contract.ts";
import type { Status } from "../keeper/status.ts";

/** What is known for a status line. */
export interface StatusKnown {
  /** Null: no conversation is on record. */
  readonly status: Status | null;
  /** Null where no proxy runs. */
  readonly mode: Mode | null;
  readonly paused: boolean;
}

/** One line for a status bar: what is not known is left out. */
export function statusLine({ status, mode, paused }: StatusKnown): string {
  const flags = [
    ...(status !== null && status.guarded_since_ms !== null ? ["net guard"] : []),
    ...(paused ? ["paused"] : []),
    ...(mode === null ? ["no proxy"] : mode === "enforce" ? [] : [mode]),
  ];
  const figures = status === null ? ["no conversation yet"] : figuresOf(status);
  return [...figures, ...flags].join(" · ");
}

function figuresOf(status: Status): readonly string[] {
  const { window_tokens: window, released_tokens: released, waiting_tokens: waiting, net_usd: net } = status;
  return [
    `window ${window === null ? "?" : tokenWords(window)}`,
    `released ${tokenWords(released)}`,
    ...(waiting === null ? [] : [`waiting ${tokenWords(waiting)}`]),
    ...(net === null ? [] : [`net ${moneyWords(net)}`]),
  ];
}

/** A count of tokens in at most four characters. */
export function tokenWords(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** US dollars to the cent; less than half of one is nothing, and has no sign. */
function moneyWords(usd: number): string {
  const cents = Math.abs(usd).toFixed(2);
  return `${usd < 0 && cents !== "0.00" ? "-" : ""}$${cents}`;
}
