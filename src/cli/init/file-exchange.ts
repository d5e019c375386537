import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ClientFile, codeOf, digestOf, nearestFolder, readClientFile, refusal } from "./client-file.ts";

/** One file to exchange: as it was read, and what is to lie there; null removes it. */
export interface Exchange {
  readonly file: ClientFile;
  readonly bytes: Buffer | null;
  /** Mode of a file that is made. */
  readonly newMode: number;
  /** Folder that its client makes while it writes the file; null where it takes no lock. */
  readonly lock: string | null;
  /** Folders to remove with the file, if they are empty. */
  readonly folders: readonly string[];
}

/** Folders that must be made before `path` can be written, the outermost first. */
export function missingFolders(path: string): readonly string[] {
  const folders: string[] = [];
  const nearest = nearestFolder(dirname(path));
  for (let folder = dirname(path); folder !== nearest; folder = dirname(folder)) folders.unshift(folder);
  return folders;
}

/**
 * Exchanges all files or none: each in one step, with mode and owner kept, and only where it is still what was read.
 * Throws `input_invalid` with words; what was exchanged before the failure is put back first.
 */
export function exchangeFiles(exchanges: readonly Exchange[]): void {
  const done: Exchange[] = [];
  const locks = takeLocks(exchanges);
  try {
    for (const exchange of exchanges) refuseChanged(exchange.file);
    for (const exchange of exchanges) {
      writeOne(exchange);
      done.unshift(exchange);
    }
  } catch (error) {
    for (const { file, ...rest } of done)
      writeOne({ ...rest, file: readClientFile(file.path), bytes: file.found?.bytes ?? null });
    throw error;
  } finally {
    for (const lock of locks) rmdirSync(lock);
  }
  for (const { bytes, folders } of exchanges) if (bytes === null) removeFolders(folders);
}

function refuseChanged(file: ClientFile): void {
  if (digestOf(readClientFile(file.path)) === digestOf(file)) return;
  throw refusal(file.path, "the file changed meanwhile; nothing was written, run the command again");
}

function writeOne({ file, bytes, newMode }: Exchange): void {
  const { path, target } = file;
  try {
    if (bytes === null) rmSync(target, { force: true });
    else replaceFile(file, bytes, newMode);
  } catch (error) {
    throw refusal(path, `the file cannot be written (${codeOf(error)})`);
  }
  const after = readClientFile(path).found?.bytes ?? null;
  if (bytes === null ? after !== null : after?.equals(bytes) !== true)
    throw refusal(path, "the file is not what was written");
}

/** The innermost first; what is not empty stays, and what it stands in. */
function removeFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

function replaceFile({ target, found }: ClientFile, bytes: Buffer, newMode: number): void {
  const folder = dirname(target);
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `.${basename(target)}.ebb-${randomBytes(6).toString("hex")}`);
  const handle = openSync(draft, "wx", 0o600);
  try {
    try {
      writeFileSync(handle, bytes);
      const made = fstatSync(handle);
      if (found !== null && (made.uid !== found.uid || made.gid !== found.gid))
        fchownSync(handle, found.uid, found.gid);
      fchmodSync(handle, found?.mode ?? newMode);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, target);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
}

/** Locks as the clients take them; one that stands refuses, and is never broken. */
function takeLocks(exchanges: readonly Exchange[]): readonly string[] {
  const taken: string[] = [];
  for (const { lock, file } of exchanges) {
    if (lock === null || file.found === null) continue;
    try {
      mkdirSync(lock);
    } catch (error) {
      for (const one of taken) rmdirSync(one);
      const why =
        codeOf(error) === "EEXIST"
          ? `its client is writing it (${lock} is there); run the command again`
          : `it cannot be locked (${codeOf(error)})`;
      throw refusal(file.path, why);
    }
    taken.push(lock);
  }
  return taken;
}
