import { join } from "node:path";
import type { ResolvedConfig } from "../../../config/resolved.ts";
import type { EbbErrorCode } from "../../../lib/ebb-error.ts";
import { type OpenedLook, SCHEMA_KNOWN, type StoreLook } from "../../../stores/sqlite-look.ts";
import { STORE_FILE_NAME } from "../../data-folder.ts";
import { amountWords, byteWords } from "../../figures.ts";
import type { Check } from "../check.ts";
import { type Finding, fail, ok, warn } from "../finding.ts";
import { quoted } from "../quoted.ts";

const AREA = "store";
const NAME = "database";
/** The log is cut back to half of this whenever nobody reads. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;
/** From this share of the cap on it is worth a word. */
const FILLED_SHARE = 0.9;

/** The store's file: whether it opens, is sound, can be written, and has room. */
export const storeCheck: Check = {
  area: AREA,
  name: NAME,
  deadlineMs: 4_000,
  run: async ({ config, store }) => judgeStore(store(), config),
};

/** What to think of a store's file. */
export function judgeStore(
  look: StoreLook,
  { dataFolder, diskBytesMax }: Pick<ResolvedConfig, "dataFolder" | "diskBytesMax">,
): readonly Finding[] {
  const file = join(dataFolder, STORE_FILE_NAME);
  switch (look.kind) {
    case "absent":
      return [ok(AREA, NAME, "none yet: it is made at the first start")];
    case "failed":
      return [failed(look.code, look.words, file)];
    case "foreign":
      return [fail(AREA, NAME, { words: `${file} is another program's database`, fix: "state another --data-folder" })];
    case "newer":
      return [
        fail(AREA, NAME, {
          words: `was written by a newer Ebb (schema ${look.schema}, this one knows ${SCHEMA_KNOWN})`,
          fix: "run that newer Ebb, or state another --data-folder for this one",
        }),
      ];
    case "opened":
      if (look.problems.length > 0) return [damaged(look.problems, file)];
      return [...writableFindings(look, file), sizeFinding(look, diskBytesMax), ...logFindings(look)];
  }
}

function writableFindings(look: OpenedLook, file: string): readonly Finding[] {
  if (look.unwritable !== null) return [failed(look.unwritable.code, look.unwritable.words, file)];
  const verified =
    look.sampled === null
      ? "sound"
      : `${byteWords(look.fileBytes)}, too large to be checked whole: its ${amountWords(look.sampled, "newest original")} are sound`;
  const schema =
    look.schema < SCHEMA_KNOWN ? `schema ${look.schema}, brought up at the next start` : `schema ${look.schema}`;
  return [ok(AREA, NAME, `opens, ${schema}, ${verified}`)];
}

function sizeFinding({ originals, storedBytes }: OpenedLook, bytesMax: number): Finding {
  const words = `${amountWords(originals, "original")}, ${byteWords(storedBytes)} of ${byteWords(bytesMax)} (disk_max_bytes)`;
  if (storedBytes < bytesMax * FILLED_SHARE) return ok(AREA, "size", words);
  const isFull = storedBytes >= bytesMax;
  return warn(AREA, "size", {
    words: `${words}: ${isFull ? "full, nothing new is released" : "nearly full"}`,
    fix: "`ebb purge --older-than 7`, or a larger disk_max_bytes",
  });
}

function logFindings({ logBytes }: OpenedLook): readonly Finding[] {
  if (logBytes <= LOG_BYTES_MAX) return [];
  return [
    warn(AREA, "log", {
      words: `the log beside it has ${byteWords(logBytes)}: some process keeps it from being emptied`,
      fix: "stop every Ebb that uses this folder; the last one empties it",
    }),
  ];
}

function damaged(problems: readonly string[], file: string): Finding {
  const [first = "", ...others] = problems;
  const more = others.length === 0 ? "" : `, and ${amountWords(others.length, "other")}`;
  return fail(AREA, NAME, { words: `is damaged: ${first}${more}`, fix: replaceWords(file) });
}

function failed(code: EbbErrorCode, words: string, file: string): Finding {
  if (code === "store_locked") {
    return warn(AREA, NAME, { words, fix: `find who holds it, and stop that: fuser -v ${quoted(file)}` });
  }
  return fail(AREA, NAME, { words, fix: fixOf(code, file) });
}

function fixOf(code: EbbErrorCode, file: string): string {
  if (code === "store_corrupt") return replaceWords(file);
  if (code === "store_full") return "make room on the disk, then `ebb purge --older-than 7`";
  if (code === "store_unwritable")
    return `chmod 600 ${quoted(file)}, and see that the folder is yours and can be written`;
  return "npm rebuild better-sqlite3 if it does not load; else move the file away";
}

/** The agent's own transcript holds every result: a store that is lost loses recalls only. */
function replaceWords(file: string): string {
  return `stop Ebb, then mv ${quoted(file)} ${quoted(`${file}.damaged`)} and rm -f ${quoted(`${file}-wal`)} ${quoted(`${file}-shm`)}: what had left comes back in full, and can no longer be recalled`;
}
