import { createPathMatcher } from "../../../config/path-globs.ts";
import type { ResolvedConfig } from "../../../config/resolved.ts";
import type { SizeBound } from "../../../model/view.ts";
import { isOverBound } from "../../../policies/size-bound.ts";
import type { Scenario, StepTool } from "../../../replay/simulated/scenario.ts";

/** One call that the simulated model makes, and what its tool answers. */
export interface PlannedCall {
  /** What the call is there for; of a result that is to leave it says so in words. */
  readonly label: string;
  readonly call: StepTool;
  readonly result: string;
}

/** What is tried: the model's steps, and which results are to leave under the configuration. */
export interface TrialPlan {
  readonly steps: readonly (readonly PlannedCall[])[];
  /** Labels of calls. */
  readonly leaving: ReadonlySet<string>;
}

const STALE = "the read before an edit";
const SUPERSEDED = "the read that was repeated";
const OVER_BOUND = "the result over the size bound";

const EDITED = "/ebb-doctor/edited.txt";
const READ_AGAIN = "/ebb-doctor/read-again.txt";
const LINES_MIN = 60;
/** A line is some twenty tokens; ten are certain. */
const TOKENS_OF_LINE_MIN = 10;
/** What only larger results, or more steps, could show is left out: it would take too long. */
const LINES_MAX = 20_000;
const BYTES_MAX = 2 * 1024 * 1024;
const QUIET_STEPS_MAX = 8;

/** A conversation that `config` lets shrink: a read before an edit, a read that is repeated, and a result over the bound. */
export function createTrialPlan(config: ResolvedConfig): TrialPlan {
  const { minTokens, quietSteps } = config.readLifecycle;
  const lines = Math.min(LINES_MIN + Math.ceil(minTokens / TOKENS_OF_LINE_MIN), LINES_MAX);
  const big = bigResult(boundOfShell(config));
  const twice = numbered("the text that is read twice", lines);
  const work = [
    read(STALE, EDITED, numbered("the text before the edit", lines)),
    read(SUPERSEDED, READ_AGAIN, twice),
    read("the second read", READ_AGAIN, twice),
    ...(big === null ? [] : [shell(OVER_BOUND, "seq", big)]),
    edit(),
  ];
  const quiet = Array.from({ length: Math.min(quietSteps, QUIET_STEPS_MAX) + 1 }, (_, index) => [
    shell(`quiet step ${index + 1}`, `true ${index + 1}`, `quiet ${index + 1}`),
  ]);
  return { steps: [work, ...quiet], leaving: leavingUnder(config, lines, big !== null) };
}

/** The script by which the simulated model follows a plan. */
export function scenarioOf(plan: TrialPlan): Scenario {
  return { scripts: [{ match: "", steps: plan.steps.map((calls) => ({ tools: calls.map(({ call }) => call) })) }] };
}

function read(label: string, path: string, result: string): PlannedCall {
  return { label, call: { name: "Read", input: { file_path: path } }, result };
}

function shell(label: string, command: string, result: string): PlannedCall {
  return { label, call: { name: "Bash", input: { command } }, result };
}

function edit(): PlannedCall {
  const input = { file_path: EDITED, old_string: "line 1 of", new_string: "the first line of" };
  return { label: "the edit", call: { name: "Edit", input }, result: `The file ${EDITED} has been updated.` };
}

/** A stale read waits for quiet steps, and for a cold cache then; a repeated one leaves before it is sent at all. */
function leavingUnder(config: ResolvedConfig, lines: number, hasBig: boolean): ReadonlySet<string> {
  const leaving = new Set<string>();
  if (config.mode !== "enforce") return leaving;
  const { minTokens, quietSteps, coldCache, stale, superseded } = config.readLifecycle;
  const isLarge = lines * TOKENS_OF_LINE_MIN > minTokens;
  const hasReads = config.pipeline.includes("readlifecycle") && isLarge;
  const hasMoment = quietSteps === 0 || (coldCache && quietSteps <= QUIET_STEPS_MAX);
  const isNeverStored = createPathMatcher(config.neverStore);
  if (hasReads && stale && hasMoment && !isNeverStored(EDITED)) leaving.add(STALE);
  if (hasReads && superseded && !isNeverStored(READ_AGAIN)) leaving.add(SUPERSEDED);
  if (hasBig) leaving.add(OVER_BOUND);
  return leaving;
}

function boundOfShell({ sizeBound }: ResolvedConfig): SizeBound | null {
  if (sizeBound === null) return null;
  return Object.hasOwn(sizeBound.tools, "Bash") ? (sizeBound.tools.Bash ?? sizeBound.bound) : sizeBound.bound;
}

/** A text just over the bound, in lines or in bytes; null where it would be too large to try. */
function bigResult(bound: SizeBound | null): string | null {
  if (bound === null) return null;
  const line = "a result that is far too large for a window\n";
  const overLines = Math.max(bound.lines + 2, LINES_MIN);
  const overBytes = Math.max(Math.ceil(bound.bytes / line.length) + 1, LINES_MIN);
  const lines = Math.min(overLines, overBytes);
  const bytes = lines * line.length;
  return bytes <= BYTES_MAX && isOverBound(lines, bytes, bound) ? line.repeat(lines) : null;
}

function numbered(text: string, lines: number): string {
  return Array.from({ length: lines }, (_, index) => {
    return `${String(index + 1).padStart(6)}→line ${index + 1} of ${text}, long enough to be worth a marker`;
  }).join("\n");
}
