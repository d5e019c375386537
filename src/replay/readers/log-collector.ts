import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedContext, RecordedProblem, RecordingFormat } from "../recording.ts";

/** What a file came to. */
export interface ReadLog {
  /** Null: the one of its reader. */
  readonly format: RecordingFormat | null;
  readonly contexts: readonly RecordedContext[];
  readonly problems: readonly RecordedProblem[];
}

/** Takes the parsed lines of one file in order; `finish` gives its contexts. */
export interface LogCollector {
  /** `source` is the text that `value` was parsed from. */
  add(value: unknown, line: number, source: Uint8Array): void;
  finish(): ReadLog;
}

/** A log that is read line by line. */
export interface LineFormat {
  readonly format: RecordingFormat;
  /** True for a line that no other log holds. */
  knows(value: unknown): boolean;
  begin(counter: TokenCounter): LogCollector;
}

/** A log that is one JSON value. */
export interface WholeFormat {
  readonly format: RecordingFormat;
  knows(value: unknown): boolean;
  read(value: unknown, counter: TokenCounter, source: Uint8Array): ReadLog;
}
