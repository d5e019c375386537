import { type Io, printLine } from "../io.ts";
import { fileDiff } from "./file-diff.ts";
import type { Exchange } from "./file-exchange.ts";

/** Prints the diffs of all files, as one patch. */
export function printDiffs(exchanges: readonly Exchange[], io: Io): void {
  for (const { file, bytes } of exchanges) printLine(io, fileDiff(file.path, file.found?.bytes ?? null, bytes));
}

/** Asks a person; where nobody can be asked, says which flag answers. */
export async function isAgreed(question: string, isYes: boolean, io: Io): Promise<boolean> {
  if (isYes) return true;
  if (io.isInteractive && /^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim())) return true;
  io.err(
    io.isInteractive ? "ebb: nothing was written\n" : "ebb: nothing was written: nobody can be asked here, add --yes\n",
  );
  return false;
}
