import type { LineRange, Outcome, ToolKind, Window } from "../../model/acquisition.ts";
import type { ResultItem } from "../../model/item.ts";
import { noLines } from "../line-window.ts";
import { numberedRange } from "../numbered-lines.ts";
import type { ProcessOutput } from "./output.ts";

const STOPPED = /^(?:aborted\b|exec command rejected by user|(?:patch|command) rejected by user|rejected by user)/;
const PATCHED = "Success. Updated the following files:";
const IMAGE = /^(?:attached local image path)?$/;

/** What a result proves of its call: by exit code where a process ran, else by the words of this client. */
export function outcomeOf(result: ResultItem | null, text: string, kind: ToolKind, ran: ProcessOutput | null): Outcome {
  if (result === null) return "missing";
  if (STOPPED.test(text)) return "interrupted";
  if (result.isError) return "failed";
  if (ran !== null) return ran.isRunning || ran.exitCode === 0 ? "ok" : "failed";
  switch (kind) {
    case "run":
      return "failed";
    case "edit":
      return text.startsWith(PATCHED) ? "ok" : "failed";
    case "read":
      return /^L\d+: /.test(text) || result.mediaCount > 0 || IMAGE.test(text) ? "ok" : "failed";
    default:
      return /^(?:unsupported call|failed to parse function arguments)\b/.test(text) ? "failed" : "ok";
  }
}

/** True where a patch that a shell ran says that it was applied. */
export function isPatched(ran: ProcessOutput | null): boolean {
  return ran?.exitCode === 0 && ran.output?.includes(PATCHED) === true;
}

/** Lines that `read_file` printed (`L12: text`), one after the other. */
export function printedLines(text: string, window: Window): LineRange {
  return numberedRange(text.replace(/^L(?=\d+: )/gm, ""), 0, [": "]) ?? noLines(window);
}
