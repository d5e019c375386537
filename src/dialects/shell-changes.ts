import { isAbsolutePath, resolvePath } from "../lib/paths.ts";
import type { FileChange } from "../model/acquisition.ts";
import type { ShellCommand } from "../model/ports.ts";
import { changesByProgram, type ShellChange } from "./shell-programs.ts";

/** Run the command that follows them. */
const WRAPPERS = new Set(["sudo", "command", "builtin", "nohup", "env", "time"]);
/** Files that are no files. */
const DEVICE = /^\/(dev|proc|sys)\//;
const REDIRECTS: ReadonlyMap<string, ShellChange["kind"]> = new Map([
  [">", "write"],
  [">|", "write"],
  ["&>", "write"],
  [">&", "write"],
  [">>", "edit"],
  ["&>>", "edit"],
]);

/**
 * File changes that stand in the text of shell commands, with literal targets only. A path behind a `cd` comes joined
 * to that directory. Never claims a file that the text does not name.
 */
export function shellChangesOf(commands: readonly ShellCommand[]): readonly FileChange[] {
  return commands.flatMap((command) =>
    [...redirectChanges(command), ...programChanges(command.words)]
      .filter(({ path }) => path !== "" && !DEVICE.test(path))
      .map(({ kind, path }): FileChange => ({ kind, path: placed(path, command.directory), source: "shell" })),
  );
}

/** The directory a leading `cd` sets, where it is absolute; null when the first command is no such `cd`. */
export function leadingDirectoryOf(commands: readonly ShellCommand[]): string | null {
  const [first, second] = commands;
  const directory = first?.words[0] === "cd" ? (second?.directory ?? null) : null;
  return directory !== null && isAbsolutePath(directory) ? directory : null;
}

/** The path as seen from where the whole text runs. */
export function placed(path: string, directory: string | null): string {
  return directory === null ? path : resolvePath(path, directory);
}

function redirectChanges({ redirects }: ShellCommand): readonly ShellChange[] {
  return redirects.flatMap(({ operator, target }) => {
    const kind = REDIRECTS.get(operator);
    const isDescriptor = operator === ">&" && target !== null && /^(\d+|-|\d+-)$/.test(target);
    return kind === undefined || target === null || isDescriptor ? [] : [{ kind, path: target }];
  });
}

function programChanges(words: ShellCommand["words"]): readonly ShellChange[] {
  let index = 0;
  while (WRAPPERS.has(words[index] ?? "") && isPlain(words[index + 1])) index++;
  const name = words[index];
  if (name === undefined || name === null) return [];
  const program = changesByProgram.get(name.slice(name.lastIndexOf("/") + 1));
  return program === undefined ? [] : program(words.slice(index + 1));
}

function isPlain(word: string | null | undefined): boolean {
  return typeof word === "string" && !word.startsWith("-");
}
