import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario, ScriptStep } from "../../../src/replay/simulated/scenario.ts";
import { type AgentTask, runAgent } from "../../support/agents.ts";
import type { ClientName, ClientResult } from "../../support/clients.ts";
import type { Ground } from "../../support/ground.ts";

export const LAST_WORDS = "All work is done.";

/** Longer than the cache lifetime and the slack after it. */
const GAP_MS = 10 * 60_000;

/** Requests of the conversation before the gap: one for each answer, the last of the first task included. */
export const STEPS_BEFORE_GAP = 9;

export const MAIN_FILE = "main.ts";

const NOTES_FILE = "notes.txt";

export const MAIN_TEXT = Array.from(
  { length: 160 },
  (_, index) => `export const value${index + 1} = ${index + 1};\n`,
).join("");

const NOTES_TEXT = Array.from({ length: 60 }, (_, index) => `a line of notes, number ${index + 1}\n`).join("");

/** Reads, an edit and quiet steps; a gap on the clock; then large output and another edit. */
const FIRST_STEPS: readonly ScriptStep[] = [
  { tools: [{ do: "read", path: MAIN_FILE }] },
  { tools: [{ do: "edit", path: MAIN_FILE, old: "value7 = 7;", new: "value7 = 70;" }] },
  { tools: [{ do: "read", path: NOTES_FILE }] },
  ...["one", "two", "three", "four", "five"].map((word) => bash(`echo ${word}`)),
];
const SECOND_STEPS: readonly ScriptStep[] = [
  bash("seq 1 400"),
  { tools: [{ do: "edit", path: NOTES_FILE, old: "number 3\n", new: "number three\n" }] },
  bash("echo six"),
  { text: LAST_WORDS },
];

/** The work as two tasks, with the gap between them. */
export const twoTurns: Scenario = scenarioOf([
  ...FIRST_STEPS,
  { text: "The first part is done.", advanceMs: GAP_MS },
  ...SECOND_STEPS,
]);

/** The work as one task with the gap inside, thinking before every step. */
export const oneThoughtfulTurn: Scenario = scenarioOf(
  [...FIRST_STEPS, { ...bash("echo gap"), advanceMs: GAP_MS }, ...SECOND_STEPS].map((step, index) => ({
    thinking: `Thought ${index}.`,
    ...step,
  })),
);

function scenarioOf(steps: readonly ScriptStep[]): Scenario {
  return { scripts: [{ match: "", steps }] };
}

function bash(command: string): ScriptStep {
  return { tools: [{ do: "bash", command }] };
}

/** Writes the files and gives the tasks one after the other; answers how the client ended each. */
export async function doWork(
  name: ClientName,
  ground: Ground,
  tasks: readonly string[],
  how: Pick<AgentTask, "model" | "withThinking">,
): Promise<readonly ClientResult[]> {
  writeFileSync(join(ground.workingFolder, MAIN_FILE), MAIN_TEXT);
  writeFileSync(join(ground.workingFolder, NOTES_FILE), NOTES_TEXT);
  const ends: ClientResult[] = [];
  for (const [index, prompt] of tasks.entries()) {
    ends.push(await runAgent(name, ground, { prompt, isContinued: index > 0, toolServerConfig: null, ...how }));
  }
  return ends;
}
