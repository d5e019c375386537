import { isDeepStrictEqual } from "node:util";
import { EbbError } from "../../lib/ebb-error.ts";
import { ensureDataFolder } from "../data-folder.ts";
import { type ClientFile, digestOf, readClientFile } from "./client-file.ts";
import { exchangeFiles, removeDrafts, removeFolders } from "./file-exchange.ts";
import type { InitPlan } from "./init-plan.ts";
import { deleteRecord, type InitRecord, readRecords, sweepRecords, writeRecord } from "./record.ts";
import { underRecordLock } from "./record-lock.ts";
import type { RemovePlan } from "./remove-plan.ts";
import { undoneFile } from "./undo-file.ts";

/**
 * Does what `ebb init` planned. The record stands before the files change, with the one from before where there was one: what
 * breaks off anywhere in between can still be undone.
 */
export function carryOutInit(plan: InitPlan, dataFolder: string): void {
  const { exchanges, known, record, backups } = plan;
  ensureDataFolder(dataFolder);
  underRecordLock(dataFolder, () => {
    refuseOther(known, record.name, dataFolder);
    writeRecord(dataFolder, known === null ? record : { ...record, former: [...known.files] }, backups);
    for (const { file } of exchanges) removeDrafts(file.target);
    try {
      exchangeFiles(exchanges);
    } catch (error) {
      const isUntouched = exchanges.every(({ file }) => isWithoutPut(file, record));
      if (isUntouched && known === null) deleteRecord(dataFolder, record);
      else if (isUntouched && known !== null) writeRecord(dataFolder, known, new Map());
      throw error;
    }
    if (known !== null) writeRecord(dataFolder, record, new Map());
    sweepRecords(dataFolder);
  });
}

/** True where nothing of what the record names stands in the file: it is what was read, or what somebody else wrote since. */
function isWithoutPut(read: ClientFile, { files }: InitRecord): boolean {
  try {
    const file = readClientFile(read.path);
    if (digestOf(file) === digestOf(read)) return true;
    const record = files.find((one) => one.path === read.path);
    if (record === undefined) return false;
    const undone = undoneFile(file, { record, backup: null, isForced: false });
    return undone.left.length === 0 && isSame(undone.bytes, file.found?.bytes ?? null);
  } catch {
    return false;
  }
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

/** Does what `ebb remove` planned for `record`, as it was read. */
export function carryOutRemove(plan: RemovePlan, record: InitRecord, dataFolder: string): void {
  underRecordLock(dataFolder, () => {
    refuseOther(record, record.name, dataFolder);
    exchangeFiles(plan.exchanges);
    for (const { path, folders } of record.files) {
      const { target, found } = readClientFile(path);
      removeDrafts(target);
      if (found === null) removeFolders(folders);
    }
    if (plan.rest === null) deleteRecord(dataFolder, record);
    else writeRecord(dataFolder, plan.rest, new Map());
    sweepRecords(dataFolder);
  });
}

/** A plan holds for the record it was made of. */
function refuseOther(known: InitRecord | null, name: string, dataFolder: string): void {
  const now = readRecords(dataFolder).find((one) => one.name === name) ?? null;
  if (isDeepStrictEqual(now, known)) return;
  throw new EbbError(
    "input_invalid",
    "another `ebb init` or `ebb remove` came in between; nothing was written, run the command again",
  );
}
