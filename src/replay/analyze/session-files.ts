import { type Dirent, type Stats, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

export interface SessionFile {
  readonly path: string;
  readonly bytes: number;
}

export interface FoundFiles {
  /** In order of path, each once. */
  readonly files: readonly SessionFile[];
  /** Given paths that do not exist. */
  readonly missing: readonly string[];
  /** Folders and files that could not be looked into, with why. */
  readonly unreadable: readonly { readonly path: string; readonly words: string }[];
}

/** Names of files that are looked into; what they are is told by their content. */
const FILE_NAMES = /\.(jsonl?|traj|db)$/;

/**
 * Files given, and files of logs in and below the folders given. Links to folders are not followed. Of the folder in which opencode
 * kept its sessions only their own records are taken: messages and parts lie beside them.
 */
export async function findSessionFiles(paths: readonly string[]): Promise<FoundFiles> {
  const found = new Map<string, number>();
  const missing: string[] = [];
  const unreadable: { path: string; words: string }[] = [];
  for (const path of paths) {
    const stats = statOrNull(path);
    if (stats === null) missing.push(path);
    else if (stats.isDirectory()) await collect(path, found, unreadable);
    else found.set(path, stats.size);
  }
  const files = [...found].map(([path, bytes]) => ({ path, bytes })).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, missing, unreadable };
}

async function collect(
  root: string,
  found: Map<string, number>,
  unreadable: { path: string; words: string }[],
): Promise<void> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await entriesOf(folder);
    if (typeof entries === "string") {
      unreadable.push({ path: folder, words: entries });
      continue;
    }
    for (const entry of sessionEntries(entries)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (FILE_NAMES.test(entry.name)) noteFile(path, found);
    }
  }
}

/** The entries that sessions are in. */
function sessionEntries(entries: readonly Dirent[]): readonly Dirent[] {
  const names = new Set(entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])));
  if (!names.has("message") || !names.has("part")) return entries;
  const records = ["session", "info"].find((name) => names.has(name));
  return records === undefined ? entries : entries.filter(({ name }) => name === records);
}

function noteFile(path: string, found: Map<string, number>): void {
  const stats = statOrNull(path);
  if (stats?.isFile() === true) found.set(path, stats.size);
}

/** The entries, or why there are none to see. */
async function entriesOf(folder: string): Promise<Dirent[] | string> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return `cannot be opened (${codeOf(error)})`;
  }
}

function statOrNull(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

/** The system's code of a failed file operation; anything else is thrown on. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}
