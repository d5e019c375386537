import { structuredPatch } from "diff";

const NO_FILE = "/dev/null";

/** The unified diff from one content of a file to the other, null standing for no file. */
export function fileDiff(path: string, before: Buffer | null, after: Buffer | null): string {
  const [old, next] = [before, after].map((bytes) => bytes?.toString("utf8") ?? "");
  const { hunks } = structuredPatch(path, path, old ?? "", next ?? "", undefined, undefined, { context: 3 });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    `@@ -${rangeText(oldStart, oldLines)} +${rangeText(newStart, newLines)} @@`,
    ...changed,
  ]);
  return [`--- ${before === null ? NO_FILE : path}`, `+++ ${after === null ? NO_FILE : path}`, ...lines].join("\n");
}

/** A range without lines names the line in front of it. */
function rangeText(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}
