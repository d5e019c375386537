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
  return Promise.all(
    PLACES.map(async (place, index) => {
      const asked: HashTask = { ...task, own: task.seed + 1 + index };
      const file = source.fileOf("test/laws/child/forwarded-hashes");
      const answer: HashAnswer = JSON.parse(await outputOf(file, JSON.stringify(asked), place));
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
