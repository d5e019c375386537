import { createBoundedMap } from "../lib/bounded-map.ts";
import { inBoth } from "../lib/in-both.ts";
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
  return {
    answered: inBoth(all.answered, own.answered),
    passed: inBoth(all.passed, own.passed),
    unedited: inBoth(all.unedited, own.unedited),
    refused: inBoth(all.refused, own.refused),
    upstreamFailed: inBoth(all.upstreamFailed, own.upstreamFailed),
    clientLeft: inBoth(all.clientLeft, own.clientLeft),
    unwatched: inBoth(all.unwatched, own.unwatched),
    responded: inBoth(all.responded, own.responded),
    stats: own.stats,
  };
}
