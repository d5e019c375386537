import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { EbbError } from "../lib/ebb-error.ts";

/** Bytes of lines that may wait for the disk; what comes beyond is not recorded. */
export const QUEUE_BYTES_MAX = 64 * 1024 * 1024;

/** Bytes of one file; behind them the conversation goes on in another one. */
export const RECORD_FILE_BYTES_MAX = 128 * 1024 * 1024;

/** Bytes of all files in the folder; behind them nothing more is recorded. */
export const RECORD_FOLDER_BYTES_MAX = 16 * 1024 * 1024 * 1024;

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS_BITS = 0o077;
const LF = 0x0a;

/** Why a line was not written. */
export type DropReason = "queue full" | "folder full" | "not writable";

/** Files of lines, one behind the other to the disk. */
export interface RecordFiles {
  /** Takes a line for the file of that name; never throws and never waits. */
  append(name: string, line: string): void;
  /** Resolves when everything taken was written or dropped. */
  drained(): Promise<void>;
}

/** Bounds of a folder, in bytes. */
export interface RecordLimits {
  readonly queueBytesMax: number;
  readonly fileBytesMax: number;
  readonly folderBytesMax: number;
}

const LIMITS: RecordLimits = {
  queueBytesMax: QUEUE_BYTES_MAX,
  fileBytesMax: RECORD_FILE_BYTES_MAX,
  folderBytesMax: RECORD_FOLDER_BYTES_MAX,
};

/**
 * Opens a folder that its user alone can enter, made where it is missing. `onDrop` is told of every line that is lost. Throws
 * `config_invalid` for a folder that cannot be made, or that other users can enter.
 */
export function openRecordFiles(
  folder: string,
  onDrop: (reason: DropReason, code: string | null) => void,
  limits: RecordLimits = LIMITS,
): RecordFiles {
  let folderBytes = prepareFolder(folder);
  let waitingBytes = 0;
  let work: Promise<void> = Promise.resolve();
  const sizes = new Map<string, number>();
  /** Files that certainly end with a whole line. */
  const whole = new Set<string>();
  const write = async (name: string, line: string, bytes: number): Promise<void> => {
    try {
      const file = fileFor(folder, name, bytes, sizes, limits.fileBytesMax);
      const before = whole.has(file) || endsLine(file) ? "" : "\n";
      whole.delete(file);
      await appendFile(file, before + line, { mode: FILE_MODE });
      whole.add(file);
      sizes.set(file, (sizes.get(file) ?? 0) + before.length + bytes);
      folderBytes += before.length + bytes;
    } catch (error) {
      sizes.clear();
      onDrop("not writable", codeOf(error));
    } finally {
      waitingBytes -= bytes;
    }
  };
  return {
    append(name, line) {
      const text = `${line}\n`;
      const bytes = Buffer.byteLength(text);
      if (waitingBytes + bytes > limits.queueBytesMax) return onDrop("queue full", null);
      if (folderBytes + waitingBytes + bytes > limits.folderBytesMax) return onDrop("folder full", null);
      waitingBytes += bytes;
      work = work.then(() => write(name, text, bytes));
    },
    drained: () => work,
  };
}

/** The bytes that are in it already. */
function prepareFolder(folder: string): number {
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    const names = readdirSync(folder);
    if (process.platform !== "win32" && (statSync(folder).mode & OTHERS_BITS) !== 0) {
      if (names.length > 0) {
        const words =
          "other users can enter this folder; choose an empty one, or one that only you can enter (mode 0700)";
        throw new EbbError("config_invalid", `record: ${folder}: ${words}`);
      }
      chmodSync(folder, FOLDER_MODE);
    }
    return names.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
  } catch (error) {
    if (error instanceof EbbError) throw error;
    throw new EbbError(
      "config_invalid",
      `record: ${folder}: the folder cannot be used (${codeOf(error) ?? "unknown reason"})`,
      error,
    );
  }
}

/** The file of that name that still has room, the first, the second and so on. */
function fileFor(
  folder: string,
  name: string,
  bytes: number,
  sizes: Map<string, number>,
  fileBytesMax: number,
): string {
  for (let part = 1; ; part += 1) {
    const file = join(folder, `${name}${part === 1 ? "" : `-${part}`}.jsonl`);
    const size = sizes.get(file) ?? sizeOf(file);
    sizes.set(file, size);
    if (size === 0 || size + bytes <= fileBytesMax) return file;
  }
}

/** False for a file whose last line was cut short, by a full disk or a killed process: what comes next begins a line of its own. */
function endsLine(path: string): boolean {
  const size = sizeOf(path);
  if (size === 0) return true;
  const file = openSync(path, "r");
  try {
    const last = Buffer.alloc(1);
    return readSync(file, last, 0, 1, size - 1) === 1 && last[0] === LF;
  } finally {
    closeSync(file);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}
