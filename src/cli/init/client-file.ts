import { accessSync, constants, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { EbbError } from "../../lib/ebb-error.ts";
import { sha256Hex } from "../../lib/hash.ts";

/** A configuration file of a client as it lies there, or the place where one may be made. */
export interface ClientFile {
  /** As the client names it. */
  readonly path: string;
  /** Where it lies: the end of symbolic links. */
  readonly target: string;
  /** Null: there is none. */
  readonly found: FoundFile | null;
}

/** What is kept of a file when it is exchanged. */
export interface FoundFile {
  readonly bytes: Buffer;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Bounds what is read and compared. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const WRITE_BITS = 0o222;

/** Reads a client's file. Throws `input_invalid` with words where it could not be exchanged safely. */
export function readClientFile(path: string): ClientFile {
  const target = targetOf(path);
  if (target === null) return { path, target: path, found: null };
  const stat = attempt(path, () => statSync(target));
  if (!stat.isFile()) throw refusal(path, `expected a file, got ${stat.isDirectory() ? "a folder" : "something else"}`);
  if (stat.size > FILE_BYTES_MAX)
    throw refusal(path, `expected at most ${FILE_BYTES_MAX / 1024 / 1024} MiB, got ${stat.size} bytes`);
  if (stat.nlink > 1)
    throw refusal(path, `the file has ${stat.nlink} names (hard links), and an exchange would part them`);
  const bytes = attempt(path, () => readFileSync(target));
  return { path, target, found: { bytes, mode: stat.mode & 0o7777, uid: stat.uid, gid: stat.gid } };
}

/** Throws `input_invalid` where the file, or the folder it lies in, may not be written. */
export function refuseUnwritable({ path, target, found }: ClientFile): void {
  const folder = nearestFolder(dirname(target));
  if (found !== null && !isWritable(target)) throw refusal(path, "the file is read-only");
  if (!isWritable(folder)) throw refusal(path, `the folder ${folder} is read-only`);
}

/** SHA-256 of what lies there; null where nothing does. */
export function digestOf({ found }: ClientFile): string | null {
  return found === null ? null : sha256Hex(found.bytes);
}

/** The nearest folder above that exists. */
export function nearestFolder(folder: string): string {
  try {
    if (statSync(folder).isDirectory()) return folder;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return nearestFolder(dirname(folder));
    throw refusal(folder, `the folder cannot be used (${codeOf(error)})`);
  }
  throw refusal(folder, "expected a folder, got a file");
}

/** The code of a failed system call. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}

/** A refusal that names the file. */
export function refusal(path: string, words: string): EbbError {
  return new EbbError("input_invalid", `${path}: ${words}`);
}

/** Null where nothing lies; throws for a link that leads nowhere. */
function targetOf(path: string): string | null {
  try {
    lstatSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw refusal(path, `the file cannot be read (${codeOf(error)})`);
  }
  try {
    return realpathSync(path);
  } catch (error) {
    throw refusal(
      path,
      codeOf(error) === "ENOENT" ? "a link that leads to no file" : `the link cannot be followed (${codeOf(error)})`,
    );
  }
}

/** Modes count also for a user who may do everything. */
function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return (statSync(path).mode & WRITE_BITS) !== 0;
  } catch {
    return false;
  }
}

function attempt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw refusal(path, `the file cannot be read (${codeOf(error)})`);
  }
}
