import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem, RecordingFormat } from "../recording.ts";
import { LINE_FORMATS } from "./line-formats.ts";
import type { LogCollector, ReadLog } from "./log-collector.ts";
import { parseJson } from "./values.ts";

/** Lines looked at before a file counts as unknown. */
const SNIFFED_LINES = 50;

/** Takes a file line by line and learns its format from the first line that one knows. */
export interface LineSink {
  /** Null while unknown. */
  format(): RecordingFormat | null;
  /** False once so many lines were unknown that the file is no such log. */
  isHopeful(): boolean;
  add(bytes: Buffer, line: number): void;
  report(line: number, words: string): void;
  finish(): ReadLog;
}

interface EarlyLine {
  readonly value: unknown;
  readonly line: number;
  readonly bytes: Buffer;
}

/** Begins a file whose format is not known yet. */
export function createLineSink(counter: TokenCounter): LineSink {
  const problems: RecordedProblem[] = [];
  const early: EarlyLine[] = [];
  let known: { readonly format: RecordingFormat; readonly collector: LogCollector } | null = null;
  const report = (line: number, words: string): void => {
    problems.push({ line, words });
  };
  return {
    format: () => known?.format ?? null,
    isHopeful: () => known !== null || early.length + problems.length < SNIFFED_LINES,
    report,
    add(bytes, line) {
      const parsed = parseJson(bytes);
      if (!parsed.ok) return report(line, parsed.words);
      const { value } = parsed;
      if (known === null) {
        const found = LINE_FORMATS.find((format) => format.knows(value));
        if (found === undefined) return void early.push({ value, line, bytes });
        known = { format: found.format, collector: found.begin(counter) };
        for (const before of early.splice(0)) known.collector.add(before.value, before.line, before.bytes);
      }
      known.collector.add(value, line, bytes);
    },
    finish() {
      const log = known?.collector.finish() ?? { format: null, contexts: [], problems: [] };
      return { ...log, problems: [...problems, ...log.problems].sort((a, b) => a.line - b.line) };
    },
  };
}
