import type { Acquisition, FileChange, ToolKind, Window } from "../../model/acquisition.ts";
import type { CallItem, ResultItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import type { ShellCommand, ShellParser } from "../../model/ports.ts";
import { commandsOf, ownChanges } from "../call-effects.ts";
import { isSet, textArgument, wholeArgument } from "../call-input.ts";
import { lineWindow } from "../line-window.ts";
import { leadingDirectoryOf, shellChangesOf } from "../shell-changes.ts";
import { commandNoticesIn } from "./notices.ts";
import { isUnchangedStub, outcomeOf, printedLines } from "./results.ts";

const LIMIT_DEFAULT = 2000;
const BACKGROUND = "Command running in background with ID";

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["Read", "read"],
  ["NotebookRead", "read"],
  ["Edit", "edit"],
  ["MultiEdit", "edit"],
  ["NotebookEdit", "edit"],
  ["Write", "write"],
  ["Bash", "run"],
  ["Grep", "search"],
  ["Glob", "search"],
  ["LS", "search"],
  ["WebFetch", "fetch"],
  ["WebSearch", "fetch"],
]);

/** Argument that says in a label what was run, searched or fetched. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ["Bash", "command"],
  ["Grep", "pattern"],
  ["Glob", "pattern"],
  ["LS", "path"],
  ["WebFetch", "url"],
  ["WebSearch", "query"],
]);

/** What one call of Claude Code's tools and its result prove. */
export function acquire(
  call: CallItem,
  result: ResultItem | null,
  text: string,
  shell: ShellParser | null,
): Acquisition {
  const kind = KINDS.get(call.name) ?? "other";
  const outcome = outcomeOf(result, text, kind === "read");
  const isOk = outcome === "ok";
  const isRead = kind === "read";
  const path = isRead || kind === "edit" || kind === "write" ? pathOf(call.input) : null;
  const window = isRead ? windowOf(call.input) : null;
  const commands = commandsOf(kind, call, shell);
  const isStub = isRead && isOk && isUnchangedStub(text);
  return {
    callId: call.callId,
    tool: call.name,
    kind,
    outcome,
    path,
    workingDirectory: leadingDirectoryOf(commands),
    window,
    printed: window !== null && isOk ? printedLines(text, window, result?.mediaCount ?? 0) : null,
    isShellRead: false,
    isUnchangedStub: isStub,
    changes: kind === "run" ? commandChanges(call, commands, text, isOk) : ownChanges(kind, path, isOk),
    command: textArgument(call.input, COMMANDS.get(call.name) ?? ""),
  };
}

function pathOf(input: JsonValue): string | null {
  return textArgument(input, "file_path") ?? textArgument(input, "notebook_path");
}

function windowOf(input: JsonValue): Window {
  const pages = textArgument(input, "pages");
  const cell = textArgument(input, "cell_id");
  if (pages !== null) return { start: 1, end: null, part: `pages ${pages.replaceAll(" ", "")}` };
  if (cell !== null) return { start: 1, end: null, part: `cell ${cell}` };
  return lineWindow(wholeArgument(input, "offset"), wholeArgument(input, "limit"), LIMIT_DEFAULT);
}

/** A command in the background has proven nothing yet. The client's own notice counts whatever the command's end was. */
function commandChanges(
  call: CallItem,
  commands: readonly ShellCommand[],
  text: string,
  isOk: boolean,
): readonly FileChange[] {
  const isPending = isSet(call.input, "run_in_background") || text.startsWith(BACKGROUND);
  const written = isOk && !isPending ? shellChangesOf(commands) : [];
  return [...written, ...commandNoticesIn(text)];
}
