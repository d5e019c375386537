import type { LineRange, Outcome, ToolKind, Window } from "../../model/acquisition.ts";
import type { ResultItem } from "../../model/item.ts";
import { noLines } from "../line-window.ts";

const CANCELLED =
  /^(?:\[Operation Cancelled\]|Command was (?:cancelled by user|automatically cancelled)|Tool call was cancelled)/;
/** Stands in a result's place after the client moved it to a file. */
const MASKED = "<tool_output_masked>";

/** How results of edits and writes begin that went well; formats without an error flag tell a failure by these alone. */
const SUCCESS: Readonly<Partial<Record<ToolKind, RegExp>>> = {
  edit: /^(?:Successfully (?:modified|edited|updated)|Created new file: |The file: [^\n]* has been updated\.|Notebook )/,
  write: /^Successfully (?:created and wrote to new file|overwrote file)/,
};
/** How a read that found nothing is answered, in a few lines. */
const NO_READ =
  /^(?:File not found|File does not exist|File path |Path is a directory|Path not in workspace|Error\b|Could not read|Failed to|Attempted path|Permission denied|File size exceeds|The 'file_path'|(?:start_line|end_line|Offset|Limit|offset|limit|pages|Pages|params) )/;
const ERROR_LINES_MAX = 4;

const SHOWN = [
  /^\s*IMPORTANT: The file content has been truncated\.\nStatus: Showing lines (\d+)-(\d+) of (?:at least )?\d+ total lines\./,
  /^\[File content truncated: showing lines (\d+)-(\d+) of \d+ total lines\./,
  /^Showing lines (\d+)-(\d+) of (?:at least )?\d+ total lines\.\n\n---\n/,
];
const NOT_TEXT = /^Cannot display content of /;
const UNCHANGED = /^\[File [^\n]*? unchanged since last read in this session \u2014 /;

/** What a result proves of its call. */
export function outcomeOf(result: ResultItem | null, text: string, kind: ToolKind): Outcome {
  if (result === null || (kind === "read" && text.startsWith(MASKED))) return "missing";
  if (CANCELLED.test(text)) return "interrupted";
  if (result.isError) return "failed";
  if (kind === "read")
    return NO_READ.test(text) && text.split("\n", ERROR_LINES_MAX + 1).length <= ERROR_LINES_MAX ? "failed" : "ok";
  const success = SUCCESS[kind];
  return success === undefined || success.test(text) || text.startsWith(MASKED) ? "ok" : "failed";
}

/** True for a read answered with a pointer to an earlier one (Qwen Code, packages/core/src/tools/read-file.ts). */
export function isUnchangedStub(text: string): boolean {
  return UNCHANGED.test(text);
}

/**
 * Lines that a result says it shows, never more than it has; null where it says nothing: then it shows what was asked for, as
 * plain text.
 */
export function printedLines(text: string, window: Window): LineRange | null {
  if (isUnchangedStub(text) || NOT_TEXT.test(text)) return noLines(window);
  for (const shown of SHOWN) {
    const [banner, first, last] = shown.exec(text) ?? [];
    if (banner !== undefined) return atMost(Number(first), Number(last), text);
  }
  return null;
}

function atMost(start: number, end: number, text: string): LineRange {
  return { start, end: Math.max(start - 1, Math.min(end, start + text.split("\n").length - 1)) };
}
