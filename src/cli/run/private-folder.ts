import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EbbError } from "../../lib/ebb-error.ts";
import { isOwnProcess } from "./own-process.ts";

/** Folder of the runs' own folders in the data folder. */
const RUNS_FOLDER_NAME = "runs";

/** Folder for what an agent needs during one run and never again; only the user can enter it. */
export interface PrivateFolder {
  readonly path: string;
  /** Creates the folder with these files in it; does nothing without any. */
  fill(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

/** Names the folder of a run. Those that processes left which are no more go. */
export function privateFolderOf(dataFolder: string, run: string): PrivateFolder {
  const parent = join(dataFolder, RUNS_FOLDER_NAME);
  const path = join(parent, `${process.pid}-${run}`);
  removeAbandoned(parent);
  return {
    path,
    fill: (files) => fillFolder(path, files),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Writes files that only the user can read into a folder of their own; makes none without any. */
export function fillFolder(path: string, files: Readonly<Record<string, string>>): void {
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      writeFileSync(join(path, name), text, { mode: 0o600 });
    }
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
    throw new EbbError("store_unwritable", `${path}: files for the agent cannot be written (${code})`, cause);
  }
}

function removeAbandoned(parent: string): void {
  for (const name of namesIn(parent)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isOwnProcess(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
