import { isAbsolutePath, resolvePath } from "../lib/paths.ts";
import type { Acquisition } from "../model/acquisition.ts";
import type { ShellParser } from "../model/ports.ts";
import { leadingDirectoryOf, shellChangesOf } from "./shell-changes.ts";
import { shellReadOf } from "./shell-reads.ts";

/** A shell command as a call ran it. */
export interface ShellRun {
  readonly callId: string;
  readonly command: string | null;
  /** Directory that an argument of the call states. */
  readonly workdir: string | null;
  readonly isOk: boolean;
  /** All that the command printed and nothing else; null where the result holds less, or more. */
  readonly output: string | null;
}

/** What an acquisition of a shell command states. */
export type ShellFacts = Pick<
  Acquisition,
  "path" | "workingDirectory" | "window" | "printed" | "isShellRead" | "changes"
>;

/** The facts of a call that ran no command. */
export const NO_SHELL_FACTS: ShellFacts = {
  path: null,
  workingDirectory: null,
  window: null,
  printed: null,
  isShellRead: false,
  changes: [],
};

/** What a shell command and its output prove; nothing without a parser, but for the stated directory. */
export function shellFacts(
  { callId, command, workdir, isOk, output }: ShellRun,
  shell: ShellParser | null,
): ShellFacts {
  const commands = command === null ? [] : (shell?.parse(command) ?? []);
  const within = (path: string) => fromWorkdir(path, workdir);
  const read = isOk && output !== null && command !== null ? shellReadOf(command, output, callId, shell) : null;
  return {
    path: read === null ? null : within(read.path),
    workingDirectory: leadingDirectoryOf(commands) ?? absoluteWorkdir(workdir),
    window: read?.window ?? null,
    printed: read?.printed ?? null,
    isShellRead: read !== null,
    changes: isOk ? shellChangesOf(commands).map((change) => ({ ...change, path: within(change.path) })) : [],
  };
}

/** The stated directory where it can stand alone. */
export function absoluteWorkdir(workdir: string | null): string | null {
  return workdir !== null && isAbsolutePath(workdir) ? workdir : null;
}

/** A path as seen from outside a stated directory that is itself relative; an absolute one is stated beside it. */
export function fromWorkdir(path: string, workdir: string | null): string {
  return workdir === null || isAbsolutePath(workdir) ? path : resolvePath(path, workdir);
}
