import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { EbbError } from "../../lib/ebb-error.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { AgentName, Scope } from "./client.ts";
import { codeOf } from "./client-file.ts";
import type { Json } from "./syntax.ts";

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
);

const placed = z.strictObject({
  path: z.array(z.string()).readonly(),
  value: json,
  before: z.string().nullable(),
  inside: z.string().nullable(),
  known: z.number(),
  text: z.string().nullable(),
});

const fileRecord = z.strictObject({
  path: z.string(),
  syntax: z.enum(["json", "toml"]),
  /** File beside the record with the bytes as they were; null where there was no file. */
  backup: z.string().nullable(),
  digestBefore: z.string().nullable(),
  digestAfter: z.string(),
  /** False once a part was taken out while another stayed: the bytes from before are no way back then. */
  isWhole: z.boolean(),
  placed: z.array(placed).readonly(),
  folders: z.array(z.string()).readonly(),
});

const record = z.strictObject({
  version: z.literal(1),
  /** Of its file, without the ending. */
  name: z.string(),
  agent: z.enum(["claude", "codex", "opencode", "gemini", "pi"]),
  scope: z.union([
    z.strictObject({ kind: z.literal("user") }),
    z.strictObject({ kind: z.literal("project"), folder: z.string() }),
  ]),
  files: z.array(fileRecord).readonly(),
  /** What an earlier `ebb init` did, while a later one exchanges it; gone once that is through. */
  former: z.array(fileRecord).readonly().optional(),
});

/** What was changed in one file. */
export type FileRecord = z.infer<typeof fileRecord>;

/** What `ebb init` did for one agent in one scope, kept until `ebb remove` undid it. */
export interface InitRecord {
  readonly version: 1;
  /** Of its file, without the ending. */
  readonly name: string;
  readonly agent: AgentName;
  readonly scope: Scope;
  readonly files: readonly FileRecord[];
  /** What an earlier `ebb init` did, while a later one exchanges it; gone once that is through. */
  readonly former?: readonly FileRecord[] | undefined;
}

/** Name of the folder with records and backups in the data folder. */
export const RECORDS_FOLDER_NAME = "clients";

/** Every record in the data folder. Throws `input_invalid` for one that cannot be read. */
export function readRecords(dataFolder: string): readonly InitRecord[] {
  const folder = join(dataFolder, RECORDS_FOLDER_NAME);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.toSorted().map((name) => readRecord(join(folder, name)));
}

/** The record of an agent in a scope that knows one of these files; null where there is none. */
export function recordOf(
  records: readonly InitRecord[],
  agent: AgentName,
  scope: Scope,
  paths: readonly string[],
): InitRecord | null {
  const isOne = (one: InitRecord): boolean => one.agent === agent && one.scope.kind === scope.kind;
  return records.find((one) => isOne(one) && one.files.some((file) => paths.includes(file.path))) ?? null;
}

/** Name of a record, and what the name of a backup begins with. */
export function recordName(agent: AgentName, scope: Scope, path: string): string {
  return `${agent}-${scope.kind}-${sha256Hex(path).slice(0, 12)}`;
}

/** Writes a record and its backups, for the user alone, and reads each back. */
export function writeRecord(dataFolder: string, made: InitRecord, backups: ReadonlyMap<string, Buffer>): void {
  const folder = join(dataFolder, RECORDS_FOLDER_NAME);
  const file = join(folder, `${made.name}.json`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    for (const [name, bytes] of backups) writePrivate(join(folder, name), bytes);
    writePrivate(file, Buffer.from(`${JSON.stringify(made, null, 2)}\n`));
  } catch (cause) {
    throw new EbbError(
      "store_unwritable",
      `${file}: the record cannot be written (${codeOf(cause)}); nothing was changed`,
      cause,
    );
  }
}

/** The bytes of a file as they were; null where there was none, or where the backup is not what was put by. */
export function readBackup(dataFolder: string, { backup, digestBefore }: FileRecord): Buffer | null {
  if (backup === null) return null;
  try {
    const bytes = readFileSync(join(dataFolder, RECORDS_FOLDER_NAME, backup));
    return sha256Hex(bytes) === digestBefore ? bytes : null;
  } catch {
    return null;
  }
}

/** Removes a record and its backups. */
export function deleteRecord(dataFolder: string, made: InitRecord): void {
  const folder = join(dataFolder, RECORDS_FOLDER_NAME);
  rmSync(join(folder, `${made.name}.json`), { force: true });
  for (const { backup } of [...made.files, ...(made.former ?? [])])
    if (backup !== null) rmSync(join(folder, backup), { force: true });
}

/** Removes what was left by a process that was killed: copies that no record names, and drafts. */
export function sweepRecords(dataFolder: string): void {
  const folder = join(dataFolder, RECORDS_FOLDER_NAME);
  const named = readRecords(dataFolder).flatMap(({ files, former = [] }) =>
    [...files, ...former].map((one) => one.backup),
  );
  for (const name of readdirSync(folder))
    if (/\.(backup|draft)$/.test(name) && !named.includes(name)) rmSync(join(folder, name), { force: true });
}

function readRecord(file: string): InitRecord {
  try {
    return record.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    const why =
      cause instanceof z.ZodError || cause instanceof SyntaxError ? "no record of this version" : codeOf(cause);
    throw new EbbError("input_invalid", `${file}: the record cannot be read (${why})`, cause);
  }
}

/** In one step: a record that was half written would be none. */
function writePrivate(file: string, bytes: Buffer): void {
  const draft = `${file}.draft`;
  try {
    writeFileSync(draft, bytes, { mode: 0o600, flush: true });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
