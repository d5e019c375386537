import { open, readFile, stat } from "node:fs/promises";
import type { TokenCounter } from "../../model/ports.ts";
import type { RecordingFormat, RecordingOutcome } from "../recording.ts";
import { createLineSink } from "./line-sink.ts";
import { LINE_BYTES_MAX, readLines } from "./lines.ts";
import type { ReadLog } from "./log-collector.ts";
import { isDatabase, readOpencodeDatabase } from "./opencode-database.ts";
import { isStoredSession, readStoredSession } from "./opencode-storage.ts";
import type { OpenTables } from "./tables.ts";
import { parseJson } from "./values.ts";
import { WHOLE_FORMATS } from "./whole-formats.ts";

/** Largest file that is read as one JSON value. */
const JSON_BYTES_MAX = 256 * 1024 * 1024;

const UNKNOWN_FORMAT =
  "neither an agent's log nor requests of an API that Ebb knows; `ebb proxy --record` records what an agent sends, `ebb run --observe` looks live";

export interface ReadRecordingOptions {
  readonly counter: TokenCounter;
  /** Told of every piece of the file that was read. */
  readonly onBytes?: (bytes: number) => void;
  /** Opens other programs' databases; left out or null: none is read. */
  readonly openTables?: OpenTables | null;
}

/**
 * Reads one file of any known format, told apart by content. A line that cannot be read is a problem of the
 * recording; an unknown format is an outcome. Rejects only when the file itself cannot be read.
 */
export async function readRecording(path: string, options: ReadRecordingOptions): Promise<RecordingOutcome> {
  if (isDatabase(await headOf(path))) return readDatabase(path, options);
  const sink = createLineSink(options.counter);
  for await (const { number, bytes } of readLines(path, options.onBytes ?? (() => {}))) {
    if (bytes === null) sink.report(number, `line over ${LINE_BYTES_MAX} bytes`);
    else if (!isBlank(bytes)) sink.add(bytes, number);
    if (!sink.isHopeful()) break;
  }
  const format = sink.format();
  return format === null ? readWhole(path, options.counter) : toOutcome(path, format, sink.finish());
}

/** A file that is one JSON value, on one line or over many. */
async function readWhole(file: string, counter: TokenCounter): Promise<RecordingOutcome> {
  const { size } = await stat(file);
  if (size === 0) return { ok: false, words: "the file is empty" };
  if (size > JSON_BYTES_MAX)
    return { ok: false, words: `${UNKNOWN_FORMAT} (over ${JSON_BYTES_MAX} bytes, not searched)` };
  const bytes = await readFile(file);
  const parsed = parseJson(bytes);
  if (!parsed.ok) return { ok: false, words: UNKNOWN_FORMAT };
  const { value } = parsed;
  if (isStoredSession(value)) return toOutcome(file, "opencode", await readStoredSession(file, value, counter));
  const found = WHOLE_FORMATS.find((format) => format.knows(value));
  if (found === undefined) return { ok: false, words: UNKNOWN_FORMAT };
  return toOutcome(file, found.format, found.read(value, counter, bytes));
}

function readDatabase(file: string, { counter, openTables }: ReadRecordingOptions): RecordingOutcome {
  const outcome = readOpencodeDatabase(file, openTables ?? null, counter);
  return outcome.ok ? toOutcome(file, "opencode", outcome.log) : outcome;
}

function toOutcome(file: string, format: RecordingFormat, log: ReadLog): RecordingOutcome {
  const { contexts, problems } = log;
  return { ok: true, recording: { file, format: log.format ?? format, contexts, problems } };
}

const HEAD_BYTES = 16;

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
