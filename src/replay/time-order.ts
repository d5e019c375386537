import type { RecordedContext, RecordedRequest } from "./recording.ts";

/** One recorded request and the time it started, in Unix milliseconds. */
export interface Timed {
  readonly context: RecordedContext;
  readonly request: RecordedRequest;
  readonly atMs: number;
}

const STEP_WITHOUT_TIME_MS = 1_000;

/** All requests of a file in the order they were sent; one without a time follows the one before it. */
export function inTimeOrder(contexts: readonly RecordedContext[]): readonly Timed[] {
  const timed: Timed[] = [];
  for (const context of contexts) {
    let atMs = 0;
    for (const request of context.requests) {
      atMs = request.atMs === null ? atMs + STEP_WITHOUT_TIME_MS : Math.max(atMs, request.atMs);
      timed.push({ context, request, atMs });
    }
  }
  return timed.sort((left, right) => left.atMs - right.atMs);
}
