import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** Name of the log in the data folder. */
export const RUN_LOG_NAME = "run.log";

const BYTES_MAX = 4 * 1024 * 1024;

/** Writes the log of a run into a file that only the user can read, and never to the terminal. A full one is kept once. */
export function createRunLog(dataFolder: string): (line: string) => void {
  const file = join(dataFolder, RUN_LOG_NAME);
  if (sizeOf(file) > BYTES_MAX) renameSync(file, `${file}.1`);
  return (line) => {
    try {
      appendFileSync(file, line, { mode: 0o600 });
    } catch {
      // A log that cannot be written must not disturb the agent; the account counts the errors.
    }
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
