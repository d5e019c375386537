import type { TokenCounter } from "../../model/ports.ts";

import type { RecordedProblem } from "../recording.ts";
import type { ReadLog } from "./log-collector.ts";
import { type OpencodeMessage, type OpencodeSession, readOpencode } from "./opencode.ts";
import type { OpenTables, Tables } from "./tables.ts";
import { isRecord, type JsonRecord, parseJson } from "./values.ts";

/** Largest text of all sessions of a database that is read; the newest sessions come first. */
export const DATABASE_BYTES_MAX = 256 * 1024 * 1024;

/** The tables of opencode's database. Source: anomalyco/opencode, packages/opencode/src/session/session.sql.ts. */
const SESSIONS = "SELECT id, parent_id, directory FROM session ORDER BY time_created DESC";
const SIZES = "SELECT session_id AS id, sum(length(data)) AS bytes FROM part GROUP BY session_id";
const MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id";
const PARTS = "SELECT message_id, data FROM part WHERE session_id = ? ORDER BY id";

/** True for the first bytes of a SQLite database. */
export function isDatabase(head: Uint8Array): boolean {
  return Buffer.from(head).toString("latin1").startsWith("SQLite format 3\0");
}

export type DatabaseOutcome =
  | { readonly ok: true; readonly log: ReadLog }
  | { readonly ok: false; readonly words: string };

/** Every session of opencode's database. Words for a database of another program, and for one that cannot be opened. */
export function readOpencodeDatabase(path: string, open: OpenTables | null, counter: TokenCounter): DatabaseOutcome {
  if (open === null) return { ok: false, words: "a SQLite database, which cannot be opened here" };
  const opened = open(path);
  if (!opened.ok) return { ok: false, words: `a SQLite database that cannot be opened (${opened.words})` };
  const { tables } = opened;
  try {
    const isOpencodes = ["session", "message", "part"].every((name) => tables.columnsOf(name).length > 0);
    if (!isOpencodes || !tables.columnsOf("part").includes("data"))
      return { ok: false, words: "a SQLite database, but none of opencode's" };
    return { ok: true, log: readSessions(tables, counter) };
  } finally {
    tables.close();
  }
}

function readSessions(tables: Tables, counter: TokenCounter): ReadLog {
  const problems: RecordedProblem[] = [];
  const sizes = new Map(tables.rows(SIZES).map(({ id, bytes }) => [id, Number(bytes)]));
  const sessions: OpencodeSession[] = [];
  let bytes = 0;
  for (const { id, parent_id, directory } of tables.rows(SESSIONS)) {
    bytes += sizes.get(id) ?? 0;
    if (bytes > DATABASE_BYTES_MAX) {
      problems.push({
        line: 0,
        words: `session ${String(id)} and older ones are left out: over ${DATABASE_BYTES_MAX} bytes together`,
      });
      break;
    }
    const info = { id, parentID: parent_id, directory };
    sessions.push({ info, messages: messagesOf(tables, String(id), problems) });
  }
  const log = readOpencode(sessions.reverse(), counter);
  return { ...log, problems: [...problems, ...log.problems] };
}

function messagesOf(tables: Tables, sessionId: string, problems: RecordedProblem[]): readonly OpencodeMessage[] {
  const partsOf = new Map<unknown, JsonRecord[]>();
  for (const { message_id, data } of tables.rows(PARTS, [sessionId])) {
    const part = parsed(data, `a part of session ${sessionId}`, problems);
    if (part === null) continue;
    const known = partsOf.get(message_id);
    if (known === undefined) partsOf.set(message_id, [part]);
    else known.push(part);
  }
  return tables.rows(MESSAGES, [sessionId]).flatMap(({ id, data }) => {
    const info = parsed(data, `a message of session ${sessionId}`, problems);
    return info === null ? [] : [{ info: { ...info, id }, parts: partsOf.get(id) ?? [] }];
  });
}

function parsed(data: unknown, what: string, problems: RecordedProblem[]): JsonRecord | null {
  const value = typeof data === "string" ? parseJson(Buffer.from(data)) : null;
  if (value?.ok === true && isRecord(value.value)) return value.value;
  problems.push({ line: 0, words: `${what} is no JSON object` });
  return null;
}
