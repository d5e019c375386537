import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedContext, RecordedProblem } from "../recording.ts";
import { toBodyContexts } from "./anthropic-messages.ts";
import { createLogCollector, type LogCollector } from "./claude-code.ts";
import { bodiesIn, type RecordedBody } from "./messages-body.ts";
import { isRecord, parseJson } from "./values.ts";

/** Lines looked at before a file counts as unknown. */
const SNIFFED_LINES = 50;

export type LineFormat = "claude-code" | "anthropic-messages";

/** Takes a file line by line and learns its format from the first line it knows. */
export interface LineSink {
  /** Null while unknown. */
  format(): LineFormat | null;
  /** False once so many lines were unknown that the file is no such log. */
  isHopeful(): boolean;
  add(bytes: Buffer, line: number): void;
  report(line: number, words: string): void;
  finish(): { readonly contexts: readonly RecordedContext[]; readonly problems: readonly RecordedProblem[] };
}

/** Begins a file whose format is not known yet. */
export function createLineSink(counter: TokenCounter): LineSink {
  const collector = createLogCollector(counter);
  const bodies: RecordedBody[] = [];
  const problems: RecordedProblem[] = [];
  const early: { readonly value: unknown; readonly line: number }[] = [];
  let format: LineFormat | null = null;
  const report = (line: number, words: string): void => {
    problems.push({ line, words });
  };
  return {
    format: () => format,
    isHopeful: () => format !== null || early.length + problems.length < SNIFFED_LINES,
    report,
    add(bytes, line) {
      const parsed = parseJson(bytes);
      if (!parsed.ok) return report(line, parsed.words);
      if (format === "claude-code") return collector.add(parsed.value, line);
      const found = bodiesIn(parsed.value, bytes, line);
      bodies.push(...found);
      if (found.length > 0) format = "anthropic-messages";
      else if (format === "anthropic-messages") report(line, "not an Anthropic Messages request");
      else if (isLogLine(parsed.value)) format = beginLog(collector, early, parsed.value, line);
      else early.push({ value: parsed.value, line });
    },
    finish() {
      if (format !== "claude-code") return { contexts: toBodyContexts(bodies, counter), problems };
      const log = collector.finish();
      return { contexts: log.contexts, problems: [...problems, ...log.problems].sort((a, b) => a.line - b.line) };
    },
  };
}

function beginLog(
  collector: LogCollector,
  early: readonly { readonly value: unknown; readonly line: number }[],
  value: unknown,
  line: number,
): LineFormat {
  for (const before of early) collector.add(before.value, before.line);
  collector.add(value, line);
  return "claude-code";
}

const LOG_TYPES = new Set(["user", "assistant", "system", "progress", "attachment"]);
const SIDE_TYPES = new Set(["file-history-snapshot", "queue-operation", "summary"]);

function isLogLine(value: unknown): boolean {
  if (!isRecord(value) || typeof value.type !== "string") return false;
  if (SIDE_TYPES.has(value.type)) return "messageId" in value || "operation" in value || "leafUuid" in value;
  return LOG_TYPES.has(value.type) && typeof value.uuid === "string" && "parentUuid" in value;
}
