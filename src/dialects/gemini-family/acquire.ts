import type { Acquisition, ToolKind, Window } from "../../model/acquisition.ts";
import type { CallItem, ResultItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import type { ShellParser } from "../../model/ports.ts";
import { acquired } from "../acquired.ts";
import { ownChanges } from "../call-effects.ts";
import { isSet, listArgument, textArgument, wholeArgument } from "../call-input.ts";
import { wholeOutput } from "../shell-output.ts";
import { shellFacts } from "../shell-run.ts";
import { commandOutputOf } from "./command-output.ts";
import { isUnchangedStub, outcomeOf, printedLines } from "./results.ts";

const BACKGROUND = /^(?:Command moved to background|Background command started)/;

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["read_file", "read"],
  ["read_many_files", "read"],
  ["replace", "edit"],
  ["edit", "edit"],
  ["notebook_edit", "edit"],
  ["write_file", "write"],
  ["run_shell_command", "run"],
  ["list_directory", "search"],
  ["glob", "search"],
  ["grep_search", "search"],
  ["search_file_content", "search"],
  ["web_fetch", "fetch"],
  ["google_web_search", "fetch"],
  ["web_search", "fetch"],
]);

const COMMANDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["run_shell_command", ["command"]],
  ["list_directory", ["dir_path", "path"]],
  ["glob", ["pattern"]],
  ["grep_search", ["pattern"]],
  ["search_file_content", ["pattern"]],
  ["web_fetch", ["prompt", "url"]],
  ["google_web_search", ["query"]],
  ["web_search", ["query"]],
]);

/** What one call of the tools that Gemini CLI and Qwen Code share, in any of their versions, and its result prove. */
export function acquire(
  call: CallItem,
  result: ResultItem | null,
  text: string,
  shell: ShellParser | null,
): Acquisition {
  const kind = KINDS.get(call.name) ?? "other";
  const outcome = outcomeOf(result, text, kind);
  const command = firstText(call.input, COMMANDS.get(call.name) ?? []);
  const acquisition = acquired(call, { kind, outcome, command });
  const isOk = outcome === "ok";
  if (kind === "run") return { ...acquisition, ...runFacts(call, text, outcome, shell) };
  const path = call.name === "read_many_files" ? onlyFileOf(call.input) : pathOf(call.input);
  if (kind === "edit" || kind === "write") return { ...acquisition, path, changes: ownChanges(kind, path, isOk) };
  if (kind !== "read") return acquisition;
  const window = windowOf(call.input);
  const printed = isOk && path !== null ? printedLines(text, window) : null;
  return { ...acquisition, path, window, printed, isUnchangedStub: isOk && isUnchangedStub(text) };
}

function firstText(input: JsonValue, names: readonly string[]): string | null {
  return names.map((name) => textArgument(input, name)).find((value) => value !== null) ?? null;
}

function pathOf(input: JsonValue): string | null {
  return firstText(input, ["file_path", "absolute_path", "notebook_path"]);
}

/** The file of a call that names one file and no pattern; null for one that reads several into one result. */
function onlyFileOf(input: JsonValue): string | null {
  const named = [...listArgument(input, "include"), ...listArgument(input, "paths")];
  const [only] = named;
  return named.length === 1 && typeof only === "string" && /^[^*?{}[\]!,]+[^/]$/.test(only) ? only : null;
}

/**
 * `start_line` and `end_line` count from 1 and are inclusive; the older `offset` counts from 0. A range without an end goes to
 * the end of the file, as far as the result does not say otherwise.
 */
function windowOf(input: JsonValue): Window {
  const pages = textArgument(input, "pages");
  if (pages !== null) return { start: 1, end: null, part: `pages ${pages.replaceAll(" ", "")}` };
  const [first, last] = [wholeArgument(input, "start_line"), wholeArgument(input, "end_line")];
  if (first !== null || last !== null) return range(first ?? 1, last);
  const [offset, limit] = [wholeArgument(input, "offset"), wholeArgument(input, "limit")];
  const start = Math.max(0, offset ?? 0) + 1;
  return range(start, limit !== null && limit > 0 ? start + limit - 1 : null);
}

function range(first: number, last: number | null): Window {
  const start = Math.max(1, first);
  return { start, end: last === null ? null : Math.max(start, last), part: null };
}

/** A command in the background, or one whose result was shortened, has proven nothing. */
function runFacts(call: CallItem, text: string, outcome: Acquisition["outcome"], shell: ShellParser | null) {
  const { isOk, output } = commandOutputOf(text);
  const isPending = isSet(call.input, "is_background") || BACKGROUND.test(text);
  const facts = shellFacts(
    {
      callId: call.callId,
      command: textArgument(call.input, "command"),
      workdir: firstText(call.input, ["dir_path", "directory"]),
      isOk: outcome === "ok" && isOk === true && !isPending,
      output: output === null ? null : wholeOutput(output),
    },
    shell,
  );
  return { ...facts, outcome: outcome === "ok" && isOk === false ? ("failed" as const) : outcome };
}
