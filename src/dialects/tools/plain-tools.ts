import { isAbsolutePath } from "../../lib/paths.ts";
import type { Outcome } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import type { ShellCommand } from "../../model/ports.ts";
import { leadingDirectoryOf, shellChangesOf } from "../shell-changes.ts";
import { hasComplaint } from "../shell-output.ts";
import { shellReadOf } from "../shell-reads.ts";
import type { Tool } from "./tool.ts";
import { firstText } from "./values.ts";

/** A tool that runs a shell command. */
export interface RunForm {
  readonly command: readonly string[];
  /** Arguments that may name the directory it runs in. */
  readonly directory: readonly string[];
  /** What the text proves where the API says nothing bad. `missing`: the command still runs and has proven nothing. */
  outcomeOf(text: string, input: JsonValue): Outcome;
  /** All that the command printed and nothing else; null where a result may hold more or less. */
  outputOf(text: string): string | null;
  /** False for an input that is no command of its own, such as keys for a program that runs. */
  isCommand?(input: JsonValue): boolean;
}

/** Nothing is known of how a result holds what a command printed. */
export const unknownOutput = (): null => null;

/** The tool of a form of commands: their changes by their text, and a file that one prints and nothing else. */
export function runTool(form: RunForm): Tool {
  return {
    isShell: true,
    meaningOf: ({ callId, input, text, outcome, shell }) => {
      const command = firstText(input, form.command);
      const isCommand = command !== null && (form.isCommand?.(input) ?? true);
      const commands: readonly ShellCommand[] = (isCommand ? shell?.parse(command) : null) ?? [];
      const output = isCommand && outcome === "ok" ? form.outputOf(text) : null;
      const read = !isCommand || output === null ? null : shellReadOf(command, output, callId, shell);
      return {
        ...read,
        kind: "run",
        outcome: form.outcomeOf(text, input),
        isShellRead: read !== null,
        workingDirectory: leadingDirectoryOf(commands) ?? statedDirectory(input, form.directory),
        // Many answers state no exit code: where a program complains, nobody can tell what it changed.
        changes: hasComplaint(text) ? [] : shellChangesOf(commands),
        command,
      };
    },
  };
}

/** A tool that looks for files or text, or fetches from elsewhere: only what it asked for is known. */
export function askingTool(kind: "search" | "fetch", asked: readonly string[]): Tool {
  return { meaningOf: ({ input }) => ({ kind, command: firstText(input, asked) }) };
}

function statedDirectory(input: JsonValue, names: readonly string[]): string | null {
  const stated = firstText(input, names);
  return stated !== null && isAbsolutePath(stated) ? stated : null;
}
