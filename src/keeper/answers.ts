import { createBoundedMap } from "../lib/bounded-map.ts";
import type { ResponseFacts } from "../model/usage.ts";

/** Calls in the responses this process saw: a history that holds one of them went on from there, and from nowhere else. */
export interface Answers {
  note(lineageId: string, calls: ResponseFacts["calls"]): void;
  isAnswerTo(lineageId: string, callId: string): boolean;
}

const CALLS_MAX = 20_000;

/** No answers yet; the oldest calls are forgotten first. */
export function createAnswers(): Answers {
  const seen = createBoundedMap<string, true>(CALLS_MAX);
  return {
    note(lineageId, calls) {
      for (const { id } of calls) seen.set(`${lineageId} ${id}`, true);
    },
    isAnswerTo: (lineageId, callId) => seen.get(`${lineageId} ${callId}`) !== undefined,
  };
}
