import { lstat, mkdtemp, readdir, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { STORE_FILE_NAME, TOKEN_FILE_NAME } from "../../data-folder.ts";
import { codeOf } from "../../failure-code.ts";
import type { Check, Premises } from "../check.ts";
import { type Finding, fail, ok, warn } from "../finding.ts";
import { quoted } from "../quoted.ts";

const AREA = "data folder";
const OTHERS_BITS = 0o077;

/** The folder that holds the store: what it is, whose, and whether it can be written. */
export const dataFolderCheck: Check = {
  area: AREA,
  name: "folder",
  deadlineMs: 1_000,
  run: async (premises) => [judgeFolder(await lookAtFolder(premises))],
};

/** What was seen of the folder. */
export interface FolderSeen {
  readonly folder: string;
  /** `missing`: `under` is the nearest folder above that exists. */
  readonly kind: "missing" | "folder" | "no folder" | "dead link" | "unreadable";
  /** Where a folder was made and removed to try: the folder itself, or the nearest one above. */
  readonly under: string;
  /** Why that failed; null where it did not. */
  readonly unwritable: string | null;
  readonly mode: number;
  readonly ownerId: number;
  /** Null where the system knows no users. */
  readonly userId: number | null;
  /** Holds Ebb's own files, or nothing. */
  readonly isOurs: boolean;
}

/** What to think of the folder. */
export function judgeFolder(seen: FolderSeen): Finding {
  const { folder, kind, under, unwritable, userId, ownerId } = seen;
  if (kind === "no folder" || unwritable === "ENOTDIR") {
    const fix = `mv ${quoted(under)} ${quoted(`${under}.old`)}, or state another folder with --data-folder`;
    return fail(AREA, "folder", { words: `${under} is a file, and a folder should stand there`, fix });
  }
  if (kind === "dead link") {
    const fix = `rm ${quoted(folder)}: it is made at the first start; or state another folder with --data-folder`;
    return fail(AREA, "folder", { words: `${folder} is a link that leads nowhere`, fix });
  }
  if (kind === "unreadable") {
    const words = `${folder} cannot be looked at (${unwritable})`;
    return fail(AREA, "folder", { words, fix: `chmod 700 ${quoted(folder)}, or state another one with --data-folder` });
  }
  if (kind === "folder" && userId !== null && userId !== 0 && ownerId !== userId) {
    const words = `${folder} belongs to another user (${ownerId}, you are ${userId})`;
    return fail(AREA, "folder", { words, fix: `sudo chown -R ${userId} ${quoted(folder)}, or another --data-folder` });
  }
  if (unwritable !== null) {
    const fix = `chmod u+rwx ${quoted(under)}, or state another folder with --data-folder`;
    return fail(AREA, "folder", { words: `nothing can be written in ${under} (${unwritable})`, fix });
  }
  if (kind === "missing") return ok(AREA, "folder", `${folder} is made at the first start`);
  return judgeAccess(seen);
}

function judgeAccess({ folder, mode, userId, isOurs }: FolderSeen): Finding {
  if (userId === null || (mode & OTHERS_BITS) === 0) return ok(AREA, "folder", folder);
  const words = `other users can enter ${folder} (mode ${mode.toString(8).padStart(4, "0")})`;
  if (isOurs) return warn(AREA, "folder", { words, fix: `chmod 700 ${quoted(folder)}` });
  return fail(AREA, "folder", {
    words: `${words}, and it holds other things: Ebb refuses it`,
    fix: `chmod 700 ${quoted(folder)}, or state an empty folder with --data-folder`,
  });
}

async function lookAtFolder({ config, machine }: Premises): Promise<FolderSeen> {
  const folder = config.dataFolder;
  const nothing = {
    folder,
    under: folder,
    unwritable: null,
    mode: 0,
    ownerId: 0,
    userId: machine.userId,
    isOurs: true,
  };
  try {
    const found = await foundAt(folder);
    if (found === null) {
      const under = await nearestAbove(folder);
      return { ...nothing, kind: "missing", under, unwritable: await tryWriting(under) };
    }
    if (found.kind !== "folder") return { ...nothing, kind: found.kind };
    const names = await readdir(folder);
    const isOurs = names.length === 0 || names.includes(TOKEN_FILE_NAME) || names.includes(STORE_FILE_NAME);
    return { ...nothing, ...found, isOurs, unwritable: await tryWriting(folder) };
  } catch (error) {
    return { ...nothing, kind: "unreadable", unwritable: codeOf(error) };
  }
}

interface Found {
  readonly kind: "folder" | "no folder" | "dead link";
  readonly mode: number;
  readonly ownerId: number;
}

async function foundAt(path: string): Promise<Found | null> {
  try {
    await lstat(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
  // A link to a folder is as good as the folder; one that leads nowhere is none, and cannot be made either.
  try {
    const { mode, uid } = await stat(path);
    const kind = (await readdir(path).then(() => true, isNoFolder)) ? "folder" : "no folder";
    return { kind, mode: mode & 0o777, ownerId: uid };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { kind: "dead link", mode: 0, ownerId: 0 };
    throw error;
  }
}

function isNoFolder(error: unknown): boolean {
  if (codeOf(error) === "ENOTDIR") return false;
  throw error;
}

async function nearestAbove(folder: string): Promise<string> {
  for (let above = dirname(folder); ; above = dirname(above)) {
    if ((await foundAt(above)) !== null || above === dirname(above)) return above;
  }
}

/** Makes and removes an empty folder; the code of why that failed, or null. */
async function tryWriting(folder: string): Promise<string | null> {
  try {
    await rmdir(await mkdtemp(join(folder, ".ebb-doctor-")));
    return null;
  } catch (error) {
    return codeOf(error);
  }
}
