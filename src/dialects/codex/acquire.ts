import type { Acquisition, ToolKind, Window } from "../../model/acquisition.ts";
import type { CallItem, ResultItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import type { ShellParser } from "../../model/ports.ts";
import { acquired } from "../acquired.ts";
import { textArgument, wholeArgument } from "../call-input.ts";
import { lineWindow } from "../line-window.ts";
import { patchEffects, patchedFilesIn } from "../patch-envelope.ts";
import { type ShellFacts, shellFacts } from "../shell-run.ts";
import { commandOf, patchCommandOf } from "./commands.ts";
import { type ProcessOutput, processOutputOf } from "./output.ts";
import { isPatched, outcomeOf, printedLines } from "./results.ts";

const LIMIT_DEFAULT = 2000;

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["exec_command", "run"],
  ["write_stdin", "run"],
  ["shell", "run"],
  ["shell_command", "run"],
  ["container.exec", "run"],
  ["local_shell", "run"],
  ["local_shell_call", "run"],
  ["apply_patch", "edit"],
  ["read_file", "read"],
  ["view_image", "read"],
  ["grep_files", "search"],
  ["list_dir", "search"],
  ["web_search", "fetch"],
  ["read_mcp_resource", "fetch"],
]);

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ["write_stdin", "chars"],
  ["grep_files", "pattern"],
  ["list_dir", "dir_path"],
  ["web_search", "query"],
  ["read_mcp_resource", "uri"],
]);

/** What one call of Codex's tools and its result prove. */
export function acquire(
  call: CallItem,
  result: ResultItem | null,
  text: string,
  shell: ShellParser | null,
): Acquisition {
  const kind = KINDS.get(call.name) ?? "other";
  const ran = kind === "run" || kind === "edit" ? processOutputOf(text) : null;
  const outcome = outcomeOf(result, text, kind, ran);
  const command = textArgument(call.input, COMMANDS.get(call.name) ?? "");
  const acquisition = acquired(call, { kind, outcome, command });
  const isOk = outcome === "ok";
  if (kind === "run" && call.name !== "write_stdin") return { ...acquisition, ...commandFacts(call, isOk, ran, shell) };
  if (kind === "edit") return { ...acquisition, ...patchEffects(patchedFilesIn(patchOf(call.input)), isOk) };
  if (kind !== "read") return acquisition;
  const window = windowOf(call);
  const path = textArgument(call.input, "file_path") ?? textArgument(call.input, "path");
  return { ...acquisition, path, window, printed: isOk && window.part === null ? printedLines(text, window) : null };
}

/** The text of a patch: the whole input of a freeform tool, an argument of a function. */
export function patchOf(input: JsonValue): string {
  if (typeof input === "string") return input;
  return textArgument(input, "input") ?? textArgument(input, "patch") ?? "";
}

function windowOf({ name, input }: CallItem): Window {
  if (name === "view_image") return { start: 1, end: null, part: "image" };
  return lineWindow(wholeArgument(input, "offset"), wholeArgument(input, "limit"), LIMIT_DEFAULT);
}

type CommandFacts = ShellFacts & Pick<Acquisition, "command" | "kind">;

/** A process that still runs has proven nothing yet. */
function commandFacts(
  call: CallItem,
  isOk: boolean,
  ran: ProcessOutput | null,
  shell: ShellParser | null,
): CommandFacts {
  const command = commandOf(call);
  const isOver = isOk && ran !== null && !ran.isRunning;
  const output = ran?.output ?? null;
  const facts = shellFacts(
    { callId: call.callId, command: command.text, workdir: command.workdir, isOk: isOver, output },
    shell,
  );
  const patch = patchCommandOf(command, isOver && isPatched(ran), shell);
  const changes = [...(patch?.changes ?? []), ...facts.changes];
  const isAlone = patch?.isAlone === true;
  return {
    ...facts,
    kind: isAlone ? patch.kind : "run",
    path: isAlone ? patch.path : facts.path,
    changes,
    command: isAlone ? null : command.text,
  };
}
