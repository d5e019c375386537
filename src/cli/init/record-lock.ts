import { linkSync, mkdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EbbError } from "../../lib/ebb-error.ts";
import { codeOf } from "./client-file.ts";
import { RECORDS_FOLDER_NAME } from "./record.ts";

const NAME = "lock";
/** What is done under the lock takes no person and far less than this, in milliseconds. */
const STALE_MS = 60_000;

/**
 * Runs `act` while no other process of this data folder writes records or clients' files. Throws `input_invalid` where one does;
 * the lock of a process that was killed does not count.
 */
export function underRecordLock<T>(dataFolder: string, act: () => T): T {
  const folder = join(dataFolder, RECORDS_FOLDER_NAME);
  const file = join(folder, NAME);
  const draft = join(folder, `${NAME}.${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${process.pid}\n`, { mode: 0o600 });
    take(draft, file);
  } catch (cause) {
    if (cause instanceof EbbError) throw cause;
    throw new EbbError("store_unwritable", `${file}: cannot be written (${codeOf(cause)}); nothing was changed`, cause);
  } finally {
    rmSync(draft, { force: true });
  }
  try {
    return act();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    if (isHeld(file)) throw busy(file);
    unlinkSync(file);
    linkSync(draft, file);
  }
}

function busy(file: string): EbbError {
  const words = "another `ebb init` or `ebb remove` is at work; nothing was changed, run the command again";
  return new EbbError("input_invalid", `${words} (${file})`);
}

/** A process id may belong to another process by now, so age counts as well. */
function isHeld(file: string): boolean {
  const holder = Number(readFileSync(file, "utf8"));
  if (!Number.isSafeInteger(holder) || holder <= 0) return false;
  return Date.now() - statSync(file).mtimeMs < STALE_MS && isAlive(holder);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
