import { spawn } from "node:child_process";
import { expect } from "vitest";

/** Runs a script that is to kill itself, or to end well where `isKilled` is false; its standard output. */
export async function outputOfKilled(file: string, task: unknown, isKilled: boolean): Promise<string> {
  const child = spawn(process.execPath, [file, JSON.stringify(task)]);
  let output = "";
  let problems = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    problems += chunk;
  });
  const signal = await new Promise((resolve) => child.on("close", (_code, by) => resolve(by)));
  expect(problems).toBe("");
  expect(signal).toBe(isKilled ? "SIGKILL" : null);
  return output;
}
