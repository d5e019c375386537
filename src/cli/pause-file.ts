import { chmodSync, lstatSync, readFileSync, rmdirSync, type Stats, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EbbError } from "../lib/ebb-error.ts";

/** Name of the file in the data folder that stands there while Ebb is paused. */
export const PAUSE_FILE_NAME = "paused";

/** Far more than a time needs. */
const BYTES_MAX = 1_024;

/** True while the file stands, or anything else of its name. What cannot be looked at counts as paused: then nothing new acts. Never throws. */
export function isPausedIn(folder: string): boolean {
  try {
    return lstatSync(join(folder, PAUSE_FILE_NAME), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Since when Ebb is paused, Unix time; null where it is not. A file that does not say tells by its own time. */
export function pausedSince(folder: string): number | null {
  const file = join(folder, PAUSE_FILE_NAME);
  try {
    const found = lstatSync(file);
    return statedIn(file, found) ?? found.mtimeMs;
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return null;
    throw unusable(file, cause);
  }
}

/** Null where it states no time, or cannot be read: whatever stands there pauses all the same. */
function statedIn(file: string, found: Stats): number | null {
  if (!found.isFile() || found.size > BYTES_MAX) return null;
  try {
    const stated = Date.parse(readFileSync(file, "utf8").trim());
    return Number.isNaN(stated) ? null : stated;
  } catch {
    return null;
  }
}

/** Pauses every proxy of the folder. Answers since when it is paused: an earlier pause goes on. */
export function pauseIn(folder: string, atMs: number): { readonly sinceMs: number; readonly wasPaused: boolean } {
  const before = pausedSince(folder);
  if (before !== null) return { sinceMs: before, wasPaused: true };
  const file = join(folder, PAUSE_FILE_NAME);
  try {
    writeFileSync(file, `${new Date(atMs).toISOString()}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(file, 0o600);
  } catch (cause) {
    const since = codeOf(cause) === "EEXIST" ? pausedSince(folder) : null;
    if (since === null) throw unusable(file, cause);
    return { sinceMs: since, wasPaused: true };
  }
  return { sinceMs: atMs, wasPaused: false };
}

/** Ends the pause. Answers since when it held; null where there was none. */
export function resumeIn(folder: string): number | null {
  const since = pausedSince(folder);
  if (since === null) return null;
  const file = join(folder, PAUSE_FILE_NAME);
  try {
    if (lstatSync(file).isDirectory()) rmdirSync(file);
    else unlinkSync(file);
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw unusable(file, cause);
  }
  return since;
}

function unusable(file: string, cause: unknown): EbbError {
  return new EbbError("store_unwritable", `${file}: the pause cannot be read or changed (${codeOf(cause)})`, cause);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
}
