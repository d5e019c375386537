import { resolvePath } from "../lib/paths.ts";
import type { Acquisition } from "../model/acquisition.ts";

const MOVE = /(?:^|[\s;&|({`])(?:cd|pushd|popd)(?=\s|$)/g;

/** How often a command seems to change its directory, which the next command of the same shell may find changed. */
export function countMoves({ kind, command }: Acquisition): number {
  return kind === "run" && command !== null ? (command.match(MOVE)?.length ?? 0) : 0;
}

/**
 * Directory of the calls after this one: the stated one as long as nothing left it, null once that is not sure. Some
 * clients keep the shell's directory between calls, some reset it.
 */
export function nextDirectory(
  { workingDirectory }: Acquisition,
  moves: number,
  current: string | null,
  stated: string | null,
): string | null {
  if (moves === 0) return current;
  const isBackAtStated =
    moves === 1 &&
    stated !== null &&
    workingDirectory !== null &&
    resolvePath(workingDirectory, null) === resolvePath(stated, null);
  return isBackAtStated ? stated : null;
}
