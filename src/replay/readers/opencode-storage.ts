import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem } from "../recording.ts";
import type { ReadLog } from "./log-collector.ts";
import { type OpencodeMessage, readOpencode } from "./opencode.ts";
import { isRecord, type JsonRecord, parseJson } from "./values.ts";

/** Largest text of one session that is read. */
const SESSION_BYTES_MAX = 256 * 1024 * 1024;

/** True for the record of a session as opencode kept it before its database: it names no messages, they lie beside it. */
export function isStoredSession(value: unknown): value is JsonRecord {
  return (
    isRecord(value) &&
    typeof value.id === "string" &&
    /^ses_/.test(value.id) &&
    isRecord(value.time) &&
    !("messages" in value)
  );
}

interface Reading {
  readonly problems: RecordedProblem[];
  bytes: number;
}

/**
 * A session of the storage folder: `session/<project>/<id>.json`, its messages under `message/<id>` and their parts under
 * `part/<message>`; in the first versions under `session/message/<id>` and `session/part/<id>/<message>`. Source: anomalyco/opencode,
 * packages/opencode/src/storage.
 */
export async function readStoredSession(file: string, info: JsonRecord, counter: TokenCounter): Promise<ReadLog> {
  const id = String(info.id);
  const reading: Reading = { problems: [], bytes: 0 };
  const messages: OpencodeMessage[] = [];
  for (const root of rootsOf(file)) {
    const folder = join(root, "message", id);
    for (const name of await namesIn(folder)) {
      const message = await readRecord(join(folder, name), reading);
      if (message === null) continue;
      const messageId = basename(name, ".json");
      const parts = [
        ...(await readAll(join(root, "part", messageId), reading)),
        ...(await readAll(join(root, "part", id, messageId), reading)),
      ];
      messages.push({ info: { ...message, id: messageId }, parts });
    }
  }
  const log = readOpencode([{ info, messages }], counter);
  return { ...log, problems: [...reading.problems, ...log.problems] };
}

/** The folder of the kinds, above the project's; in the first versions the one that the records stand in. */
function rootsOf(file: string): readonly string[] {
  const above = dirname(dirname(file));
  return [dirname(above), above];
}

async function readAll(folder: string, reading: Reading): Promise<readonly JsonRecord[]> {
  const records: JsonRecord[] = [];
  for (const name of await namesIn(folder)) {
    const record = await readRecord(join(folder, name), reading);
    if (record !== null) records.push(record);
  }
  return records;
}

/** Ids begin with the time, so that their order is that of the messages. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".json")).sort();
}

async function readRecord(path: string, reading: Reading): Promise<JsonRecord | null> {
  const name = basename(path);
  const report = (words: string): null => {
    reading.problems.push({ line: 0, words: `${name}: ${words}` });
    return null;
  };
  const size = await stat(path).then(
    (stats) => stats.size,
    () => null,
  );
  if (size === null) return report("cannot be read");
  if (reading.bytes + size > SESSION_BYTES_MAX) return report(`left out: over ${SESSION_BYTES_MAX} bytes together`);
  reading.bytes += size;
  const bytes = await readFile(path).catch(() => null);
  if (bytes === null) return report("cannot be read");
  const parsed = parseJson(bytes);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : report("not a JSON object");
}
