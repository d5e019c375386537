import type { Acquisition, ToolKind, Window } from "../../model/acquisition.ts";
import type { CallItem, ResultItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import type { ShellParser } from "../../model/ports.ts";
import { acquired } from "../acquired.ts";
import { ownChanges } from "../call-effects.ts";
import { textArgument, wholeArgument } from "../call-input.ts";
import { lineWindow } from "../line-window.ts";
import { type PatchEffects, patchEffects, patchedFilesIn } from "../patch-envelope.ts";
import { wholeOutput } from "../shell-output.ts";
import { shellFacts } from "../shell-run.ts";
import { isFolder, isOldForm, outcomeOf, printedLines } from "./results.ts";

const LIMIT_DEFAULT = 2000;

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["read", "read"],
  ["edit", "edit"],
  ["multiedit", "edit"],
  ["apply_patch", "edit"],
  ["patch", "edit"],
  ["write", "write"],
  ["bash", "run"],
  ["grep", "search"],
  ["glob", "search"],
  ["list", "search"],
  ["codesearch", "search"],
  ["webfetch", "fetch"],
  ["websearch", "fetch"],
]);

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ["bash", "command"],
  ["grep", "pattern"],
  ["glob", "pattern"],
  ["list", "path"],
  ["codesearch", "query"],
  ["webfetch", "url"],
  ["websearch", "query"],
]);

/** What one call of opencode's tools and its result prove. */
export function acquire(
  call: CallItem,
  result: ResultItem | null,
  text: string,
  shell: ShellParser | null,
): Acquisition {
  const kind = KINDS.get(call.name) ?? "other";
  const outcome = outcomeOf(result, text, kind);
  const command = textArgument(call.input, COMMANDS.get(call.name) ?? "");
  const acquisition = acquired(call, { kind, outcome, command });
  const isOk = outcome === "ok";
  if (kind === "run") return { ...acquisition, ...runFacts(call, text, isOk, shell) };
  if (isPatch(call)) return { ...acquisition, ...patchFacts(call.input, isOk) };
  const path = textArgument(call.input, "filePath");
  if (kind === "edit" || kind === "write") return { ...acquisition, path, changes: ownChanges(kind, path, isOk) };
  if (kind !== "read") return acquisition;
  if (isOk && isFolder(text)) return { ...acquisition, kind: "search", command: path };
  const window = windowOf(call.input, text);
  return { ...acquisition, path, window, printed: isOk ? printedLines(text, window) : null };
}

/** Versions that number lines in the older form count offsets from 0. */
function windowOf(input: JsonValue, text: string): Window {
  const offset = wholeArgument(input, "offset");
  const first = offset === null ? null : offset + (isOldForm(text) ? 1 : 0);
  return lineWindow(first, wholeArgument(input, "limit"), LIMIT_DEFAULT);
}

function isPatch({ name }: CallItem): boolean {
  return name === "apply_patch" || name === "patch";
}

function patchFacts(input: JsonValue, isOk: boolean): PatchEffects {
  return patchEffects(patchedFilesIn(textArgument(input, "patchText") ?? ""), isOk);
}

/** The result does not tell how a command ended: what speaks of an error proves no change. */
function runFacts({ callId, input }: CallItem, text: string, isOk: boolean, shell: ShellParser | null) {
  const output = wholeOutput(text);
  const command = textArgument(input, "command");
  return shellFacts(
    { callId, command, workdir: textArgument(input, "workdir"), isOk: isOk && output !== null, output },
    shell,
  );
}
