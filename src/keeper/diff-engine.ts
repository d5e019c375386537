import { structuredPatch } from "diff";
import type { DiffEngine } from "../model/report.ts";

const CONTEXT_LINES = 3;
/** Beyond this many lines added and removed, the shortest difference is not looked for: all lines left, others came. */
const EDITS_MAX = 2_000;

/** Differences of texts by lines, as a unified diff shows them. */
export function createDiffEngine(): DiffEngine {
  return {
    diff(before, after) {
      const options = { context: CONTEXT_LINES, maxEditLength: EDITS_MAX };
      const patch = structuredPatch("", "", before, after, undefined, undefined, options);
      return patch === undefined ? [wholeHunk(before, after)] : patch.hunks.map(toHunk);
    },
  };
}

function toHunk({ oldStart, oldLines, newStart, newLines, lines }: PatchHunk) {
  return {
    before: { start: oldStart, count: oldLines },
    after: { start: newStart, count: newLines },
    lines: [...lines],
  };
}

interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function wholeHunk(before: string, after: string) {
  const left = sideOf(before, "-");
  const came = sideOf(after, "+");
  return {
    before: { start: left.count === 0 ? 0 : 1, count: left.count },
    after: { start: came.count === 0 ? 0 : 1, count: came.count },
    lines: [...left.lines, ...came.lines],
  };
}

function sideOf(text: string, sign: "-" | "+"): { readonly count: number; readonly lines: readonly string[] } {
  if (text === "") return { count: 0, lines: [] };
  const isEnded = text.endsWith("\n");
  const lines = (isEnded ? text.slice(0, -1) : text).split("\n").map((line) => `${sign}${line}`);
  return { count: lines.length, lines: isEnded ? lines : [...lines, "\\ No newline at end of file"] };
}
