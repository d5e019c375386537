import { isAbsolutePath } from "../lib/paths.ts";
import type { Acquisition, ToolKind } from "../model/acquisition.ts";
import type { CallItem, ResultItem } from "../model/item.ts";
import type { Dialect, ShellParser } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { acquired } from "./acquired.ts";
import { ownChanges } from "./call-effects.ts";
import { textArgument, wholeArgument } from "./call-input.ts";
import { lineWindow } from "./line-window.ts";
import { changeText } from "./pi-changes.ts";
import { outcomeOf } from "./pi-outcomes.ts";
import { printedLines } from "./pi-reads.ts";
import { wholeOutput } from "./shell-output.ts";
import { shellFacts } from "./shell-run.ts";

const LIMIT_DEFAULT = 2000;

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["read", "read"],
  ["edit", "edit"],
  ["write", "write"],
  ["bash", "run"],
  ["grep", "search"],
  ["find", "search"],
  ["ls", "search"],
]);

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ["bash", "command"],
  ["grep", "pattern"],
  ["find", "pattern"],
  ["ls", "path"],
]);

const NO_OUTPUT = "(no output)";
const OWN_TOOLS = ["read", "edit", "write", "bash"];
const OWN_WORDS = "operating inside pi, a coding agent";
const SUMMARIES = [
  "The conversation history before this point was compacted into the following summary:",
  "The following is a summary of a branch that this conversation came back from:",
];
const WORKING_DIRECTORY = /(?:^|\n)Current working directory:[ \t]*(\S[^\n]*)/g;

/** pi (pi-coding-agent): lower-case tools, file content without line numbers. */
export function createPiDialect(): Dialect {
  return {
    name: "pi",
    recognises,
    acquire,
    isGenuineUser: (texts) => texts.some((text) => text.trim() !== "" && !isSummary(text)),
    isFold: (texts) => texts.some((text) => text.startsWith(SUMMARIES[0] ?? "")),
    workingDirectoryOf,
    noticesIn: () => [],
    changeText,
    hasShell: (toolNames) => toolNames.includes("bash"),
    readsThroughShell: false,
    resetsDirectory: true,
  };
}

function recognises({ toolNames, systemTexts }: RequestHeader, userAgent: string | null): boolean {
  if (userAgent !== null && /\bpi(-coding-agent)?\//i.test(userAgent)) return true;
  if (systemTexts.some((text) => text.includes(OWN_WORDS))) return true;
  return OWN_TOOLS.every((name) => toolNames.includes(name)) && toolNames.every((name) => KINDS.has(name));
}

function acquire(call: CallItem, result: ResultItem | null, text: string, shell: ShellParser | null): Acquisition {
  const kind = KINDS.get(call.name) ?? "other";
  const outcome = outcomeOf(result, text, kind);
  const isOk = outcome === "ok";
  const command = textArgument(call.input, COMMANDS.get(call.name) ?? "");
  const acquisition = acquired(call, { kind, outcome, command });
  if (kind === "run") {
    const output = text === NO_OUTPUT ? "" : wholeOutput(text);
    const run = { callId: call.callId, command: acquisition.command, workdir: null, isOk, output };
    return { ...acquisition, ...shellFacts(run, shell) };
  }
  const path = textArgument(call.input, "path") ?? textArgument(call.input, "file_path");
  if (kind === "edit" || kind === "write") return { ...acquisition, path, changes: ownChanges(kind, path, isOk) };
  if (kind !== "read") return acquisition;
  const window = lineWindow(wholeArgument(call.input, "offset"), wholeArgument(call.input, "limit"), LIMIT_DEFAULT);
  return { ...acquisition, path, window, printed: isOk ? printedLines(text, window) : null };
}

function isSummary(text: string): boolean {
  return SUMMARIES.some((words) => text.startsWith(words));
}

/** The last one: project files that the system prompt quotes stand before it. */
function workingDirectoryOf(texts: readonly string[]): string | null {
  const stated = texts.flatMap((text) => Array.from(text.matchAll(WORKING_DIRECTORY), ([, path = ""]) => path.trim()));
  return stated.findLast(isAbsolutePath) ?? null;
}
