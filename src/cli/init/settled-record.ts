import { digestOf, readClientFile } from "./client-file.ts";
import { type FileRecord, type InitRecord, readBackup } from "./record.ts";
import { undoneFile } from "./undo-file.ts";

/**
 * The record of what the files really hold, where a second `ebb init` broke off between the record and the files: of each file
 * the state from before, unless it was exchanged. Throws `input_invalid` for a file that cannot be read.
 */
export function settledRecord(record: InitRecord, dataFolder: string): InitRecord {
  const { former = [], ...rest } = record;
  if (former.length === 0) return rest;
  const paths = [...new Set([...record.files, ...former].map((one) => one.path))];
  const files = paths.flatMap((path) => {
    const fresh = record.files.find((one) => one.path === path);
    const old = former.find((one) => one.path === path);
    const one = fresh !== undefined && old !== undefined ? standing(fresh, old, dataFolder) : (fresh ?? old);
    return one === undefined ? [] : [one];
  });
  return { ...rest, files };
}

function standing(fresh: FileRecord, old: FileRecord, dataFolder: string): FileRecord {
  const file = readClientFile(fresh.path);
  const digest = digestOf(file);
  if (digest === fresh.digestAfter) return fresh;
  if (digest === old.digestAfter) return old;
  const undone = undoneFile(file, { record: fresh, backup: readBackup(dataFolder, fresh), isForced: false });
  return undone.left.length === 0 ? fresh : old;
}
