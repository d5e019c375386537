import { createBoundedMap } from "../lib/bounded-map.ts";
import { inBoth } from "../lib/in-both.ts";
import { type Accounting, createAccounting } from "./accounting.ts";
import type { KeeperStats, Mode } from "./contract.ts";

/** Accounts of single runs beside the one of everything. */
export interface RunAccounts {
  /** Counts in both: in the account of everything, and in that of the run. */
  of(run: string | null): Accounting;
  /** All zero for a run that was never counted. */
  stats(run: string, mode: Mode): KeeperStats;
}

/** Runs that are remembered; the oldest is forgotten first. */
const RUNS_MAX = 256;

/** Accounts beside `all`, which counts everything. */
export function createRunAccounts(all: Accounting): RunAccounts {
  const runs = createBoundedMap<string, Run>(RUNS_MAX);
  return {
    of(name) {
      if (name === null) return all;
      const run = runs.get(name) ?? { own: createAccounting(), lineages: new Set<string>() };
      runs.set(name, run);
      return both(all, run);
    },
    stats(name, mode) {
      const { own, lineages } = runs.get(name) ?? { own: createAccounting(), lineages: new Set() };
      return own.stats(mode, lineages.size);
    },
  };
}

interface Run {
  readonly own: Accounting;
  readonly lineages: Set<string>;
}

/** Lineages of one run that are counted. */
const LINEAGES_MAX = 10_000;

function both(all: Accounting, { own, lineages }: Run): Accounting {
  return {
    noteRequest: inBoth(all.noteRequest, own.noteRequest),
    noteUnread: inBoth(all.noteUnread, own.noteUnread),
    noteUnknownModel: (name) => {
      own.noteUnknownModel(name);
      return all.noteUnknownModel(name);
    },
    noteAcquired: inBoth(all.noteAcquired, own.noteAcquired),
    noteDecisions: inBoth(all.noteDecisions, own.noteDecisions),
    noteDeclines: (lineage, declines) => {
      if (lineages.size < LINEAGES_MAX) lineages.add(lineage);
      all.noteDeclines(lineage, declines);
      own.noteDeclines(lineage, declines);
    },
    noteRegrets: inBoth(all.noteRegrets, own.noteRegrets),
    noteJudged: inBoth(all.noteJudged, own.noteJudged),
    noteWindow: inBoth(all.noteWindow, own.noteWindow),
    noteReanchored: inBoth(all.noteReanchored, own.noteReanchored),
    noteUsage: inBoth(all.noteUsage, own.noteUsage),
    noteRecall: inBoth(all.noteRecall, own.noteRecall),
    noteOffered: inBoth(all.noteOffered, own.noteOffered),
    noteAside: inBoth(all.noteAside, own.noteAside),
    noteMarkerWrites: inBoth(all.noteMarkerWrites, own.noteMarkerWrites),
    noteFallback: inBoth(all.noteFallback, own.noteFallback),
    noteSignatureRefusal: inBoth(all.noteSignatureRefusal, own.noteSignatureRefusal),
    noteViolation: inBoth(all.noteViolation, own.noteViolation),
    noteError: inBoth(all.noteError, own.noteError),
    stats: all.stats,
  };
}
