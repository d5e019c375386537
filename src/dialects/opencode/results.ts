import type { LineRange, Outcome, ToolKind, Window } from "../../model/acquisition.ts";
import type { ResultItem } from "../../model/item.ts";
import { noLines } from "../line-window.ts";
import { numberedRange } from "../numbered-lines.ts";

/** What stands in a result's place after the client emptied it by itself. */
const CLEARED = "[Old tool result content cleared]";
/** Behind a result that was cut for the request that summarises. */
const CUT = "[Tool output truncated for compaction: omitted ";

const STOPPED = [
  "[Tool execution was interrupted]",
  "Tool execution aborted",
  "The user rejected permission to use this specific tool call",
];

const CONTENT = /^<path>[^\n]*<\/path>\n<type>file<\/type>\n<content>\n?/;
const FOLDER = /^<path>[^\n]*<\/path>\n<type>directory<\/type>/;
const CONTENT_OLD = /^<file>\n/;
const OTHER_READS = /^(?:Image|PDF) read successfully/;
const DIAGNOSTICS = /^\n*(?:This file has errors, please fix|<file_diagnostics>|<project_diagnostics>)/;

/** How results of calls that went well begin; formats without an error flag tell a failure by these alone. */
const SUCCESS: Readonly<Partial<Record<ToolKind, RegExp>>> = {
  read: /^(?:<path>|<file>\n|(?:Image|PDF) read successfully)/,
  edit: /^(?:Edit applied successfully|Success\. Updated the following files:|Patch applied successfully)/,
  write: /^(?:Wrote file successfully|Success\. Updated the following files:)/,
  delete: /^Success\. Updated the following files:/,
  rename: /^Success\. Updated the following files:/,
};

/** What a result proves of its call; `""` and diagnostics alone are how older versions answer an edit or a write. */
export function outcomeOf(result: ResultItem | null, text: string, kind: ToolKind): Outcome {
  if (result === null || (kind === "read" && text.trim() === CLEARED)) return "missing";
  if (STOPPED.some((words) => text.startsWith(words))) return "interrupted";
  if (kind === "run" && /\n\n?\(Command was aborted\)\s*$|\nUser aborted the command\b/.test(text.slice(-500)))
    return "interrupted";
  if (result.isError) return "failed";
  const success = SUCCESS[kind];
  if (success === undefined || success.test(text)) return "ok";
  const isOldAnswer = (kind === "edit" || kind === "write") && (text === "" || DIAGNOSTICS.test(text));
  return isOldAnswer || text.trim() === CLEARED ? "ok" : "failed";
}

/** True for a read that was answered with the names in a folder. */
export function isFolder(text: string): boolean {
  return FOLDER.test(text);
}

/** True for file content in the form of versions before tags of their own for path and type. */
export function isOldForm(text: string): boolean {
  return CONTENT_OLD.test(text);
}

/**
 * Lines a successful read printed: `N: text` between tags, `00001| text` in older versions; null for what is not lines. The
 * formats are those of anomalyco/opencode, packages/opencode/src/tool/read.ts, over its versions.
 */
export function printedLines(text: string, window: Window): LineRange | null {
  if (OTHER_READS.test(text)) return null;
  const [opening] = CONTENT.exec(text) ?? CONTENT_OLD.exec(text) ?? [];
  if (opening === undefined) return null;
  const range = numberedRange(text, opening.length, [": ", ":", "| "]);
  if (range === null) return noLines(window);
  // The last line of a cut text is not whole.
  return text.includes(CUT, text.length - 100) ? { start: range.start, end: range.end - 1 } : range;
}
