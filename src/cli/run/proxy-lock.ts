import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ResolvedConfig } from "../../config/resolved.ts";
import { packageVersion } from "../version.ts";
import { isOwnProcess } from "./own-process.ts";

/** What a running proxy tells the other processes of its user. */
export type ProxyLock = z.output<typeof LOCK>;

/** Folder of the locks in the data folder. */
export const LOCKS_FOLDER_NAME = "proxies";

const LOCK = z.object({
  pid: z.number().int().positive(),
  /** `proxy` serves until it is stopped, `run` as long as its agent. */
  owner: z.enum(["proxy", "run"]),
  host: z.string(),
  port: z.number().int().min(1).max(65_535),
  version: z.string(),
  upstream: z.string(),
  mode: z.enum(["enforce", "observe", "off"]),
  /** Of the configuration in force. */
  digest: z.string(),
  started_ms: z.number(),
});

/** Locks that are read at most. */
const LOCKS_MAX = 256;

/**
 * Tells the user's other processes of the proxy that serves `config` on `port` in this one, in a file that only the user can
 * read. The function takes it back. Where the file cannot be written the proxy is not found, and serves as well.
 */
export function lockProxy(config: ResolvedConfig, port: number, owner: ProxyLock["owner"]): () => void {
  const { host, upstream, mode, digest, dataFolder } = config;
  const own = { pid: process.pid, owner, port, version: packageVersion(), started_ms: Date.now() };
  try {
    return writeLock(dataFolder, { ...own, host, upstream, mode, digest });
  } catch {
    return () => undefined;
  }
}

function writeLock(dataFolder: string, lock: ProxyLock): () => void {
  const folder = join(dataFolder, LOCKS_FOLDER_NAME);
  const file = fileOf(folder, lock.pid);
  const text = `${JSON.stringify(lock)}\n`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  return () => {
    if (textIn(file) === text) rmSync(file, { force: true });
  };
}

/**
 * Locks of processes that live, the newest first; those of processes that ended without removing theirs go. Only files that this
 * user alone can read and write count: a lock says where the token may go.
 */
export function readLocks(dataFolder: string): readonly ProxyLock[] {
  const folder = join(dataFolder, LOCKS_FOLDER_NAME);
  const locks = namesIn(folder).flatMap((name) => {
    const text = textIn(join(folder, name));
    if (text === null) return [];
    const lock = parseLock(text);
    if (lock !== null && fileOf(folder, lock.pid) === join(folder, name) && isOwnProcess(lock.pid)) return [lock];
    remove(join(folder, name));
    return [];
  });
  return locks.toSorted((one, other) => other.started_ms - one.started_ms);
}

function fileOf(folder: string, pid: number): string {
  return join(folder, `${pid}.json`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+\.json$/.test(name))
      .slice(0, LOCKS_MAX);
  } catch {
    return [];
  }
}

/** Null where others could have written it, or it cannot be read. What is judged is what is read. */
function textIn(file: string): string | null {
  let opened: number | null = null;
  try {
    opened = openSync(file, OPEN_FLAGS);
    return isOwnersAlone(opened) ? readFileSync(opened, "utf8") : null;
  } catch {
    return null;
  } finally {
    if (opened !== null) closeSync(opened);
  }
}

/** Follows no link and waits for no pipe, where the platform knows how. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const OTHERS_BITS = 0o077;

function isOwnersAlone(opened: number): boolean {
  if (process.platform === "win32") return true;
  const stat = fstatSync(opened);
  return stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & OTHERS_BITS) === 0;
}

/** What cannot be removed stays, and counts as little. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder is read-only, or a folder has this name.
  }
}

function parseLock(text: string): ProxyLock | null {
  try {
    return LOCK.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
