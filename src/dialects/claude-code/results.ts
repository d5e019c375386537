import type { LineRange, Outcome, Window } from "../../model/acquisition.ts";
import type { ResultItem } from "../../model/item.ts";
import { noLines } from "../line-window.ts";
import { numberedRange } from "../numbered-lines.ts";

const TOOL_ERROR = "<tool_use_error>";
/** What stands in a result's place after the client emptied it by itself. */
const CLEARED = "[Old tool result content cleared]";
const PERSISTED = "<persisted-output>";
const REMINDER_OPEN = "<system-reminder>";
const REMINDER_CLOSE = "</system-reminder>";
const PARTIAL_VIEW = "[Truncated: PARTIAL view";
const PREFACES_MAX = 4;

const UNCHANGED = [
  "File unchanged since last read",
  "Wasted call \u2014 file unchanged since your last Read",
  "<system-reminder>This file is already in your context",
];

const REFUSED = [
  "The user doesn't want to proceed with this tool use",
  "The user doesn't want to take this action right now",
  "[Request interrupted by user",
  "[Tool call interrupted",
];

/** Anywhere in a failed result: the command ran and was stopped. */
const STOPPED = /\[Request interrupted by user|<error>Command was aborted before completion<\/error>/;

/** What a result proves of its call. A read whose content the client cleared is no result. */
export function outcomeOf(result: ResultItem | null, text: string, isRead: boolean): Outcome {
  if (result === null || (isRead && isCleared(text))) return "missing";
  if (REFUSED.some((words) => text.startsWith(words))) return "interrupted";
  const isFailed = result.isError || text.startsWith(TOOL_ERROR);
  if (!isFailed) return "ok";
  return STOPPED.test(text) ? "interrupted" : "failed";
}

/** True for a read answered with a pointer to an earlier one. File content never begins so: its lines are numbered. */
export function isUnchangedStub(text: string): boolean {
  return UNCHANGED.some((words) => text.startsWith(words));
}

/** Lines a successful read printed: null for content that is not lines (images, PDF, notebooks, unknown forms). */
export function printedLines(text: string, window: Window, mediaCount: number): LineRange | null {
  const range = numberedRange(text, contentStart(text));
  if (range !== null) return range;
  if (mediaCount > 0) return null;
  const isNotice = text === "" || text.startsWith(REMINDER_OPEN) || text.startsWith(PERSISTED) || isUnchangedStub(text);
  return isNotice ? noLines(window) : null;
}

/** Past the notices that may stand before the first line. */
function contentStart(text: string): number {
  let at = 0;
  for (let count = 0; count < PREFACES_MAX; count++) {
    const next = prefaceEnd(text, at);
    if (next === at) return at;
    at = next;
  }
  return at;
}

function prefaceEnd(text: string, start: number): number {
  let at = start;
  while (text[at] === "\n") at++;
  if (text.startsWith(PARTIAL_VIEW, at)) return indexAfter(text, "\n", at);
  if (text.startsWith(REMINDER_OPEN, at)) return indexAfter(text, REMINDER_CLOSE, at);
  return at;
}

function indexAfter(text: string, words: string, from: number): number {
  const found = text.indexOf(words, from);
  return found === -1 ? text.length : found + words.length;
}

function isCleared(text: string): boolean {
  return text.trim() === CLEARED;
}
