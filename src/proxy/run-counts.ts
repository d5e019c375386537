import { createBoundedMap } from "../lib/bounded-map.ts";
import { type Counts, createCounts } from "./counts.ts";

/** Counters of one proxy, and beside them those of single runs. */
export interface RunCounts extends Counts {
  /** Counts in both: in those of the proxy, and in those of the run. */
  of(run: string | null): Counts;
}

/** Runs that are remembered; the oldest is forgotten first. */
const RUNS_MAX = 256;

/** Counters that start at nothing. */
export function createRunCounts(): RunCounts {
  const all = createCounts();
  const runs = createBoundedMap<string, Counts>(RUNS_MAX);
  return {
    ...all,
    of(name) {
      if (name === null) return all;
      const own = runs.get(name) ?? createCounts();
      runs.set(name, own);
      return both(all, own);
    },
    stats: (active, name) => (name === undefined ? all : (runs.get(name) ?? createCounts())).stats(active),
  };
}

function both(all: Counts, own: Counts): Counts {
  const noting =
    <Given extends readonly unknown[]>(first: (...given: Given) => void, second: (...given: Given) => void) =>
    (...given: Given): void => {
      first(...given);
      second(...given);
    };
  return {
    answered: noting(all.answered, own.answered),
    passed: noting(all.passed, own.passed),
    unedited: noting(all.unedited, own.unedited),
    refused: noting(all.refused, own.refused),
    upstreamFailed: noting(all.upstreamFailed, own.upstreamFailed),
    clientLeft: noting(all.clientLeft, own.clientLeft),
    unwatched: noting(all.unwatched, own.unwatched),
    responded: noting(all.responded, own.responded),
    stats: own.stats,
  };
}
