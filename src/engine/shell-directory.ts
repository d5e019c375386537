import { isAbsolutePath, resolvePath } from "../lib/paths.ts";
import type { Acquisition } from "../model/acquisition.ts";

const MOVE = /(?:^|[\s;&|({`])(?:cd|pushd|popd)(?=\s|$)/g;

/** How often a command seems to change its directory, which the next command of the same shell may find changed. */
export function countMoves({ kind, command }: Acquisition): number {
  return kind === "run" && command !== null ? (command.match(MOVE)?.length ?? 0) : 0;
}

/** Where a call begins: in a known directory, or in one that nobody states; each leave may lead to another of those. */
export interface ShellPlace {
  readonly directory: string | null;
  readonly leaves: number;
}

/**
 * Place of the calls after this one: the stated one as long as nothing left it, an unknown one of its own once that is not sure.
 * Some clients keep the shell's directory between calls, some reset it.
 */
export function nextPlace(
  { workingDirectory }: Acquisition,
  moves: number,
  current: ShellPlace,
  stated: string | null,
): ShellPlace {
  if (moves === 0) return current;
  const isBackAtStated =
    moves === 1 &&
    stated !== null &&
    workingDirectory !== null &&
    resolvePath(workingDirectory, null) === resolvePath(stated, null);
  return isBackAtStated ? { ...current, directory: stated } : { directory: null, leaves: current.leaves + 1 };
}

/** A path as seen from a place. A relative one of an unknown directory equals none that was seen before the shell went there. */
export function pathFrom(path: string, { directory, leaves }: ShellPlace): string {
  const resolved = resolvePath(path, directory);
  const isKnown = directory !== null || leaves === 0 || isAbsolutePath(resolved);
  return isKnown ? resolved : `unknown-directory-${leaves}/${resolved}`;
}
