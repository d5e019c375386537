import type { Outcome } from "../../model/acquisition.ts";

const HEAD_CHARS = 300;
const FAILED_HEAD = /^\s*(?:[([{<"']\s*)*(?:error|failed|failure|exception|traceback|fatal)\b/i;
const FAILED_WORDS =
  /\b(?:error|errors|failed|failure|not found|no such|no match(?:es)?|no (?:changes|replacement)|cannot|can't|could not|couldn't|unable|denied|refused|rejected|invalid|must be|not unique|more than once|multiple (?:matches|occurrences)|does(?: not|n't) (?:exist|match|appear)|did not (?:match|appear)|already exists|missing|timed out|cancelled|canceled)\b/i;
/** A code of the operating system, as Node writes it in front of the words. */
const SYSTEM_ERROR = /\bE[A-Z]{3,14}: /;
const NUMBERED = /^\s*\d+\s?(?:\t|\u2192|\||:)/;
const BRIEF_LINES_MAX = 2;

/** True for the beginning of an error message; text that merely speaks of errors is none. */
export function beginsAsError(text: string): boolean {
  return FAILED_HEAD.test(text.slice(0, HEAD_CHARS));
}

/**
 * What the answer of a tool proves whose words for success are not known: a word of failure near its beginning is one. Wrong
 * only towards a failure, which changes nothing.
 */
export function changeOutcome(text: string): Outcome {
  return FAILED_WORDS.test(text.slice(0, HEAD_CHARS)) ? "failed" : "ok";
}

/**
 * What the answer of a read proves that may be any file's content: a short one that begins as an error is a failure, and so is a
 * line or two with a word of one and without numbers. Wrong only towards a failure, which supersedes nothing.
 */
export function contentOutcome(text: string): Outcome {
  if (text.length >= 4 * HEAD_CHARS) return "ok";
  const isBrief = !NUMBERED.test(text) && text.trim().split("\n", BRIEF_LINES_MAX + 1).length <= BRIEF_LINES_MAX;
  const isFailed = beginsAsError(text) || (isBrief && (SYSTEM_ERROR.test(text) || FAILED_WORDS.test(text)));
  return isFailed ? "failed" : "ok";
}
