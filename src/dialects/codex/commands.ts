import type { CallItem } from "../../model/item.ts";
import type { ShellParser } from "../../model/ports.ts";
import { listArgument, textArgument } from "../call-input.ts";
import { type PatchEffects, patchEffects, patchedFilesIn } from "../patch-envelope.ts";
import { placed } from "../shell-changes.ts";
import { fromWorkdir } from "../shell-run.ts";

/** A command as one of Codex's shell tools was asked to run it. */
export interface CommandCall {
  /** Shell text; null where the call states none. */
  readonly text: string | null;
  readonly workdir: string | null;
}

const PATCH_PROGRAMS = new Set(["apply_patch", "applypatch"]);
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** The command of `exec_command`, `shell_command`, `shell` (a list of words) and `local_shell`. */
export function commandOf({ input }: CallItem): CommandCall {
  const workdir = textArgument(input, "workdir") ?? textArgument(input, "working_directory");
  const text = textArgument(input, "cmd") ?? textArgument(input, "command");
  if (text !== null) return { text, workdir };
  const words = listArgument(input, "command").filter((word) => typeof word === "string");
  return { text: words.length === 0 ? null : textOf(words), workdir };
}

/** A patch that a shell text applies; `isAlone` where it does nothing else but change its directory first. */
export interface PatchCommand extends PatchEffects {
  readonly isAlone: boolean;
}

/** The patch of `apply_patch <<'EOF'` or of its one argument; null for every other text. */
export function patchCommandOf(
  { text, workdir }: CommandCall,
  isPatched: boolean,
  shell: ShellParser | null,
): PatchCommand | null {
  if (text === null || !text.includes("*** Begin Patch")) return null;
  const commands = shell?.parse(text) ?? [];
  const own = commands.filter(({ words: [name] }) => typeof name === "string" && PATCH_PROGRAMS.has(name));
  const [only] = own;
  if (only === undefined || own.length > 1) return null;
  const [, argument] = only.words;
  const files = patchedFilesIn(typeof argument === "string" ? argument : text);
  if (files.length === 0) return null;
  const locate = (path: string) => fromWorkdir(placed(path, only.directory), workdir);
  const { kind, path, changes } = patchEffects(files, isPatched);
  return {
    kind,
    path: path === null ? null : locate(path),
    changes: changes.map((change) => ({ ...change, path: locate(change.path) })),
    isAlone: commands.length === 1 || (commands.length === 2 && commands[0]?.words[0] === "cd"),
  };
}

/** The script of a shell, or the words quoted so that a shell would read the same. */
function textOf(words: readonly string[]): string {
  const [name = "", option = "", script] = words;
  const isScript = /^(?:.*\/)?(?:ba|z|da|k)?sh$/.test(name) && /^-[il]*c$/.test(option);
  if (isScript && script !== undefined && words.length === 3) return script;
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
