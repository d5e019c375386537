import { sha256Hex } from "../../lib/hash.ts";
import { readClientFile, refuseUnwritable } from "./client-file.ts";
import type { Exchange } from "./file-exchange.ts";
import { type FileRecord, type InitRecord, readBackup } from "./record.ts";
import { undoneFile } from "./undo-file.ts";

/** What `ebb remove` is to do, before anything is done. */
export interface RemovePlan {
  readonly exchanges: readonly Exchange[];
  /** One line for each part that stays. */
  readonly words: readonly string[];
  /** What is still to undo afterwards; null where nothing is. */
  readonly rest: InitRecord | null;
}

/** Works out every file of a record. Throws `input_invalid` for one that cannot be worked on. */
export function planRemove(record: InitRecord, dataFolder: string, isForced: boolean): RemovePlan {
  const worked = record.files.map((one) => workedOut(one, readBackup(dataFolder, one), isForced));
  const files = worked.flatMap(({ rest }) => (rest === null ? [] : [rest]));
  return {
    exchanges: worked.flatMap(({ exchange }) => (exchange === null ? [] : [exchange])),
    words: worked.flatMap((one) => one.words),
    rest: files.length === 0 ? null : { ...record, files },
  };
}

interface Worked {
  readonly exchange: Exchange | null;
  readonly words: readonly string[];
  readonly rest: FileRecord | null;
}

function workedOut(record: FileRecord, backup: Buffer | null, isForced: boolean): Worked {
  const file = readClientFile(record.path);
  const { bytes, left, words } = undoneFile(file, { record, backup, isForced });
  const current = file.found?.bytes ?? null;
  const isSame = bytes === null ? current === null : current?.equals(bytes) === true;
  if (!isSame) refuseUnwritable(file);
  const exchange = { file, bytes, newMode: 0o600, lock: lockOf(record.path), folders: record.folders };
  const rest = { ...record, placed: [...left], digestAfter: sha256Hex(bytes ?? ""), isWhole: false };
  return { exchange: isSame ? null : exchange, words, rest: left.length === 0 ? null : rest };
}

/** Claude Code takes a lock on the file that it keeps its own state in, under either name. */
function lockOf(path: string): string | null {
  return /[\\/]\.(claude|config)\.json$/.test(path) ? `${path}.lock` : null;
}
