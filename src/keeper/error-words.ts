import { EbbError } from "../lib/ebb-error.ts";

/**
 * What a log, a figure or a refusal may say of a failure. The message of an error that is not Ebb's own can quote what
 * was being read, so only its name is told.
 */
export function wordsOf(error: unknown): string {
  if (error instanceof EbbError) return error.message;
  return `an unexpected fault (${error instanceof Error ? error.name : typeof error})`;
}
