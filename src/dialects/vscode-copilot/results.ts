import type { LineRange, Outcome, Window } from "../../model/acquisition.ts";
import { noLines } from "../line-window.ts";

const HEADER = /^File: `[^\n]*`\. Lines (\d+) to (\d+) \(\d+ lines total\):/;
const CUT = /\n\[File content truncated at line \d+\. /;
const NO_CONTENT = /^\(The file `[^\n]*` exists, but (?:is empty|contains only whitespace)\)/;
const FENCE = /(?:^|\n)(`{3,})[^\n`]*\n/;
const EDITED = "The following files were successfully edited:";
const HEALED = "There was an error applying your original patch, and it was corrected:";
const CREATED = "File created at ";

/**
 * What every answer proves that is not of a form of its own: errors and cancelled calls have words. Source:
 * microsoft/vscode-copilot-chat, src/extension/prompts/node/panel/toolCalling.tsx.
 */
export function calledOutcome(text: string): Outcome {
  if (text.startsWith("The user cancelled the tool call.")) return "interrupted";
  return text.startsWith("ERROR while calling tool:") ? "failed" : "ok";
}

/** What the answer of a read proves: a fenced content, or a word that there is none. */
export function readOutcome(text: string): Outcome {
  const called = calledOutcome(text);
  return called !== "ok" || HEADER.test(text) || NO_CONTENT.test(text) || FENCE.test(text) ? called : "failed";
}

/**
 * Lines a read printed. A header names them unless they reach the end of the file; a content with fewer lines was cut to fit
 * a prompt, and nobody says which lines are left. Source: microsoft/vscode-copilot-chat, src/extension/tools/node/readFileTool.tsx.
 */
export function printedLines(text: string, window: Window, mediaCount: number): LineRange | null {
  const count = contentLines(text);
  if (count === null) return mediaCount > 0 ? null : noLines(window);
  const [, start, end] = HEADER.exec(text) ?? [];
  if (start === undefined || end === undefined) return { start: window.start, end: window.start + count - 1 };
  const range = { start: Number(start), end: Number(end) };
  return count === range.end - range.start + 1 ? range : noLines(window);
}

/** What the answer of a change proves: one that went well lists the files. Source: editFileToolResult.tsx of the same folder. */
export function changeOutcome(text: string): Outcome {
  if (text.includes(EDITED) || text.startsWith(CREATED) || text.includes(" was applied successfully.")) return "ok";
  const called = calledOutcome(text);
  return called === "ok" ? "failed" : called;
}

/** True where the answer says of this file that it was changed. */
export function isChangedFile(text: string, path: string): boolean {
  if (text.includes(`The edit to ${path} was applied successfully.`)) return true;
  const listed = text.indexOf(EDITED);
  return listed !== -1 && `${text.slice(listed)}\n`.includes(`\n${path}\n`);
}

/** True where the client wrote something else than the call says. */
export function isHealed(text: string): boolean {
  return text.includes(HEALED);
}

/** Lines between the fences, the notice of a cut apart; null without fences. */
function contentLines(text: string): number | null {
  const open = FENCE.exec(text);
  if (open === null) return null;
  const start = open.index + open[0].length;
  const close = text.lastIndexOf(`\n${open[1]}`);
  if (close < start) return close === start - 1 ? 0 : null;
  const content = text.slice(start, close);
  const cut = CUT.exec(content);
  return (cut === null ? content : content.slice(0, cut.index)).split("\n").length;
}
