import type { FileChange, ToolKind } from "../model/acquisition.ts";
import type { CallItem } from "../model/item.ts";
import type { ShellCommand, ShellParser } from "../model/ports.ts";
import { textArgument } from "./call-input.ts";

/** Commands in the text of a call that runs one; none for other calls, without a parser, or where the text is no shell. */
export function commandsOf(kind: ToolKind, call: CallItem, shell: ShellParser | null): readonly ShellCommand[] {
  if (kind !== "run" || shell === null) return [];
  return shell.parse(textArgument(call.input, "command") ?? "") ?? [];
}

/** The change that an edit or a write of `path` makes by itself, where it went well. */
export function ownChanges(kind: ToolKind, path: string | null, isOk: boolean): readonly FileChange[] {
  return isOk && path !== null && (kind === "edit" || kind === "write") ? [{ kind, path, source: "tool" }] : [];
}
