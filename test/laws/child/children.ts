import { spawn } from "node:child_process";
import type { BuiltSource } from "./built-source.ts";
import type { HashAnswer, HashTask } from "./forwarded-hashes.ts";

const PLACES = [
  { TZ: "UTC", LC_ALL: "C" },
  { TZ: "Asia/Kathmandu", LC_ALL: "de_DE.UTF-8" },
  { TZ: "America/St_Johns", LC_ALL: "ar_EG.UTF-8" },
] as const;

/** Three processes in three time zones and locales, each with an order and an interleaving of its own. */
export function hashesOfChildren(
  source: BuiltSource,
  task: Pick<HashTask, "runs" | "seed" | "mutant">,
): Promise<readonly HashAnswer[]> {
  const asked = (index: number): HashTask => ({ ...task, own: task.seed + 1 + index });
  return inThreePlaces<HashAnswer>(source.fileOf("test/laws/child/forwarded-hashes"), asked);
}

/** What a script answers in three processes, each in a time zone and a locale of its own. */
export function inThreePlaces<Answer>(file: string, taskOf: (index: number) => unknown): Promise<readonly Answer[]> {
  return Promise.all(
    PLACES.map(async (place, index) => {
      const answer: Answer = JSON.parse(await outputOf(file, JSON.stringify(taskOf(index)), place));
      return answer;
    }),
  );
}

/** Standard output of a script; fails with what it said otherwise. */
export async function outputOf(file: string, argument: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, [file, argument], { env: { ...process.env, ...env }, stdio: "pipe" });
  let output = "";
  let problems = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    problems += chunk;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`the child ended with ${code}: ${problems}`);
  return output;
}
