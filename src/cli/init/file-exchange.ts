import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
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

/** The clients count ten seconds. */
const LOCK_STALE_MS = 15_000;

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
    for (const exchange of done) putBack(exchange);
    throw error;
  } finally {
    for (const lock of locks) leaveLock(lock);
  }
  for (const { bytes, folders } of exchanges) if (bytes === null) removeFolders(folders);
}

/** What somebody else wrote since is theirs, and stays. */
function putBack({ file, bytes, ...rest }: Exchange): void {
  const now = readClientFile(file.path);
  const isOurs = bytes === null ? now.found === null : now.found?.bytes.equals(bytes) === true;
  if (!isOurs) return;
  writeOne({ ...rest, file: now, bytes: file.found?.bytes ?? null, newMode: file.found?.mode ?? rest.newMode });
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

/** Removes folders, the innermost first; what is not empty stays, and what it stands in. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Removes what an exchange of this file left that was killed: it may hold all that the file holds. */
export function removeDrafts(target: string): void {
  const folder = dirname(target);
  const isDraft = (name: string): boolean => /^[0-9a-f]{12}$/.test(name.slice(draftName(target, "").length));
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((one) => one.startsWith(draftName(target, "")) && isDraft(one)))
    rmSync(join(folder, name), { force: true });
}

function draftName(target: string, ending: string): string {
  return `.${basename(target)}.ebb-${ending}`;
}

function replaceFile({ target, found }: ClientFile, bytes: Buffer, newMode: number): void {
  const folder = dirname(target);
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, draftName(target, randomBytes(6).toString("hex")));
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

/** Locks as the clients take them: one that stands refuses, unless it is so old that its client counts it for nothing. */
function takeLocks(exchanges: readonly Exchange[]): readonly string[] {
  const taken: string[] = [];
  for (const { lock, file } of exchanges) {
    if (lock === null || file.found === null) continue;
    try {
      if (isStale(lock)) leaveLock(lock);
      mkdirSync(lock);
    } catch (error) {
      for (const one of taken) leaveLock(one);
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

/** Who holds a lock renews it; what was not renewed for so long was left by a process that was killed. */
function isStale(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > LOCK_STALE_MS;
}

/** A lock that somebody took away already is gone as well. */
function leaveLock(lock: string): void {
  try {
    rmdirSync(lock);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
