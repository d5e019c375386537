import type { PlacedAcquisition } from "../model/acquisition.ts";

/** Readers cut longer lines; then the text is not the file's. */
const LINE_CHARS_MAX = 2_000;
const ROW = /^ *(\d+)(?:\u2192|\t|:)/;

/** True for a read that printed every line of its file by number: it began with the first and met the end before its limit did. */
export function isWholeRead({ acquisition, resultKey }: PlacedAcquisition): boolean {
  const { kind, outcome, window, printed, isUnchangedStub } = acquisition;
  if (kind !== "read" || outcome !== "ok" || resultKey === null || isUnchangedStub) return false;
  if (window === null || window.part !== null || printed === null) return false;
  const isToEnd = window.end === null || printed.end < window.end;
  return printed.start === 1 && printed.end >= 1 && isToEnd;
}

/**
 * The file that a whole read printed, ended by a line end: whether the file's last line has one is not always printed. Null
 * where the text does not begin with line 1 by its number, or a line may have been cut.
 */
export function wholeTextOf(original: string): string | null {
  const lines: string[] = [];
  for (const row of original.split("\n")) {
    const [printed, digits] = ROW.exec(row) ?? [];
    if (printed === undefined || Number(digits) !== lines.length + 1) break;
    const line = row.slice(printed.length);
    if (line.length >= LINE_CHARS_MAX) return null;
    lines.push(line);
  }
  if (lines.length === 0) return null;
  const text = lines.join("\n");
  return text.endsWith("\n") ? text : `${text}\n`;
}
