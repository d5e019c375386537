import type { LineRange, Outcome, Window } from "../../model/acquisition.ts";
import { noLines } from "../line-window.ts";
import { beforeCut, firstRow, rowRange } from "../tools/rows.ts";

const ROWS = { prefix: "", separator: "\t" };
const HEAD_LINES = 3;
/** Behind it lines are left out, and those that follow are numbered as if none were. */
const CLIPPED = "<response clipped>";
const VIEWED =
  /^(?:NOTE: [^\n]*\r?\n|<NOTE>[^\n]*<\/NOTE>\r?\n?)?(?:Here's the result of running `cat -n` on |Image file )/;
const ABBREVIATED = "<NOTE>This file is too large to display entirely.";
const LISTED = "Here's the files and directories up to ";
/** OpenHands kept its answers as the difference that they made. */
const DIFFERENCE = /^--- [^\n]+\n\+\+\+ [^\n]+\n@@ /;
const SUCCESS: ReadonlyMap<string, RegExp> = new Map([
  ["create", /^File created successfully at: /],
  ["str_replace", /^The file [^\n]* has been edited\./],
  ["insert", /^The file [^\n]* has been edited\./],
  ["undo_edit", /^Last edit to [^\n]* undone successfully\./],
]);

/**
 * What the answers of the editor's reference implementation prove; only its words for success are one. Source:
 * https://github.com/anthropics/anthropic-quickstarts, computer-use-demo/computer_use_demo/tools/edit.py, and what
 * OpenHands/software-agent-sdk and SWE-agent/SWE-agent made of it.
 */
export function numberedOutcome(command: string, text: string): Outcome {
  if (command !== "view") return SUCCESS.get(command)?.test(text) === true || DIFFERENCE.test(text) ? "ok" : "failed";
  return VIEWED.test(text) || text.startsWith(ABBREVIATED) || isNumberedListing(text) ? "ok" : "failed";
}

/** True for the listing of a folder. */
export function isNumberedListing(text: string): boolean {
  return text.startsWith(LISTED);
}

/** Lines that a view numbered, up to the first one that is not whole. */
export function numberedLines(text: string, window: Window, mediaCount: number): LineRange | null {
  const whole = beforeCut(text, CLIPPED);
  const start = firstRow(whole, ROWS, HEAD_LINES);
  if (start !== null) return rowRange(whole, start, ROWS);
  return mediaCount > 0 ? null : noLines(window);
}
