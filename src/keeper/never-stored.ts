import type { PlacedAcquisition } from "../model/acquisition.ts";

const WORD_BORDER = /[\s'"`=:;|&<>()]+/;
/** A longer command is text that a shell is fed, not a list of file names. */
const COMMAND_CHARS_MAX = 4_096;

/** True when a rule forbids keeping what was acquired: its file matches, or its command names a file that does. */
export function isExempt({ path, acquisition }: PlacedAcquisition, isNeverStored: (path: string) => boolean): boolean {
  const { kind, command } = acquisition;
  if (path !== null && isNeverStored(path)) return true;
  if (kind !== "run" || command === null) return false;
  return command
    .slice(0, COMMAND_CHARS_MAX)
    .split(WORD_BORDER)
    .some((word) => word !== "" && isNeverStored(word));
}
