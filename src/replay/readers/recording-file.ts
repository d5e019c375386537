import { readFile, stat } from "node:fs/promises";
import type { TokenCounter } from "../../model/ports.ts";
import type { RecordingOutcome } from "../recording.ts";
import { toBodyContexts } from "./anthropic-messages.ts";
import { isCorpus, toCorpusContexts } from "./corpus.ts";
import { createLineSink } from "./line-sink.ts";
import { LINE_BYTES_MAX, readLines } from "./lines.ts";
import { bodiesIn } from "./messages-body.ts";
import { parseJson } from "./values.ts";

/** Largest file that is read as one JSON value. */
const JSON_BYTES_MAX = 256 * 1024 * 1024;

const UNKNOWN_FORMAT =
  "neither a Claude Code log nor Anthropic Messages requests; with an agent that keeps another log, `ebb run --observe` looks live";

export interface ReadRecordingOptions {
  readonly counter: TokenCounter;
  /** Told of every piece of the file that was read. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Reads one file of any known format, told apart by content. A line that cannot be read is a problem of the
 * recording; an unknown format is an outcome. Rejects only when the file itself cannot be read.
 */
export async function readRecording(path: string, options: ReadRecordingOptions): Promise<RecordingOutcome> {
  const sink = createLineSink(options.counter);
  for await (const { number, bytes } of readLines(path, options.onBytes ?? (() => {}))) {
    if (bytes === null) sink.report(number, `line over ${LINE_BYTES_MAX} bytes`);
    else if (!isBlank(bytes)) sink.add(bytes, number);
    if (!sink.isHopeful()) break;
  }
  const format = sink.format();
  if (format === null) return readWhole(path, options.counter);
  return { ok: true, recording: { file: path, format, ...sink.finish() } };
}

/** A file that is one JSON value over many lines. */
async function readWhole(file: string, counter: TokenCounter): Promise<RecordingOutcome> {
  const { size } = await stat(file);
  if (size === 0) return { ok: false, words: "the file is empty" };
  if (size > JSON_BYTES_MAX)
    return { ok: false, words: `${UNKNOWN_FORMAT} (over ${JSON_BYTES_MAX} bytes, not searched)` };
  const bytes = await readFile(file);
  const parsed = parseJson(bytes);
  if (!parsed.ok) return { ok: false, words: UNKNOWN_FORMAT };
  if (isCorpus(parsed.value)) {
    const contexts = toCorpusContexts(parsed.value, counter);
    return { ok: true, recording: { file, format: "read-lifecycle-corpus", contexts, problems: [] } };
  }
  const bodies = bodiesIn(parsed.value, bytes, 1);
  if (bodies.length === 0) return { ok: false, words: UNKNOWN_FORMAT };
  const contexts = toBodyContexts(bodies, counter);
  return { ok: true, recording: { file, format: "anthropic-messages", contexts, problems: [] } };
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
