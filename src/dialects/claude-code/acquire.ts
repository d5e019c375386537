import type { Acquisition, FileChange, ToolKind, Window } from "../../model/acquisition.ts";
import type { CallItem, ResultItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import type { ShellParser } from "../../model/ports.ts";
import { acquired } from "../acquired.ts";
import { ownChanges } from "../call-effects.ts";
import { isSet, textArgument, wholeArgument } from "../call-input.ts";
import { lineWindow } from "../line-window.ts";
import { wholeOutput } from "../shell-output.ts";
import { type ShellFacts, shellFacts } from "../shell-run.ts";
import { commandNoticesIn } from "./notices.ts";
import { isUnchangedStub, outcomeOf, printedLines } from "./results.ts";

const LIMIT_DEFAULT = 2000;
const BACKGROUND = "Command running in background with ID";
/** The client says something of its own beside what the command printed. */
const CLIENT_WORDS = /<system-reminder>|<persisted-output>|\nShell cwd was reset to |\n\[This command modified /;

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
  const isStub = isRead && isOk && isUnchangedStub(text);
  const command = textArgument(call.input, COMMANDS.get(call.name) ?? "");
  const acquisition = { ...acquired(call, { kind, outcome, command }), isUnchangedStub: isStub };
  if (kind === "run") return { ...acquisition, ...runFacts(call, text, isOk, shell) };
  const printed = window !== null && isOk ? printedLines(text, window, result?.mediaCount ?? 0) : null;
  return { ...acquisition, path, window, printed, changes: ownChanges(kind, path, isOk) };
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
function runFacts({ callId, input }: CallItem, text: string, isOk: boolean, shell: ShellParser | null): ShellFacts {
  const isPending = isSet(input, "run_in_background") || text.startsWith(BACKGROUND);
  const command = textArgument(input, "command");
  const output = CLIENT_WORDS.test(text) ? null : wholeOutput(text);
  const facts = shellFacts({ callId, command, workdir: null, isOk: isOk && !isPending, output }, shell);
  const noticed: readonly FileChange[] = commandNoticesIn(text);
  return { ...facts, changes: [...facts.changes, ...noticed] };
}
