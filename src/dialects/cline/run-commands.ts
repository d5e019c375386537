import type { JsonValue } from "../../model/json.ts";
import type { ShellCommand, ShellParser } from "../../model/ports.ts";
import { textArgument } from "../call-input.ts";
import { leadingDirectoryOf, shellChangesOf } from "../shell-changes.ts";
import { wholeOutput } from "../shell-output.ts";
import { shellReadOf } from "../shell-reads.ts";
import type { Tool } from "../tools/tool.ts";
import { isListValue, memberOf } from "../tools/values.ts";
import { outcomeOfParts, partResultsIn } from "./results.ts";

const NAMES = ["commands", "command", "cmd"];

interface Given {
  readonly label: string;
  /** Null for a program with its arguments, which no shell sees. */
  readonly text: string | null;
  readonly words: readonly string[];
}

/**
 * `run_commands`: shell texts, or programs with their arguments; each has a result of its own, in order. Source: cline/cline,
 * sdk/packages/core/src/extensions/tools/schemas.ts.
 */
export const runCommandsTool: Tool = {
  isShell: true,
  meaningOf: ({ callId, input, text, shell }) => {
    const given = givenIn(input);
    const parts = partResultsIn(text);
    const [only] = given;
    const isOne = given.length === 1 && parts[0]?.isSuccess === true;
    const output = isOne ? wholeOutput(parts[0]?.text ?? "") : null;
    const read = output !== null && only?.text != null ? shellReadOf(only.text, output, callId, shell) : null;
    return {
      ...read,
      kind: "run",
      outcome: outcomeOfParts(parts),
      isShellRead: read !== null,
      workingDirectory: leadingDirectoryOf(only === undefined ? [] : commandsOf(only, shell)),
      changes: given.flatMap((one, index) => (parts[index]?.isSuccess ? shellChangesOf(commandsOf(one, shell)) : [])),
      command: given.length === 0 ? null : given.map(({ label }) => label).join("\n"),
    };
  },
};

function commandsOf({ text, words }: Given, shell: ShellParser | null): readonly ShellCommand[] {
  if (shell === null) return [];
  return text === null ? [{ words, redirects: [], directory: null }] : (shell.parse(text) ?? []);
}

function givenIn(input: JsonValue): readonly Given[] {
  const isProgram = isListValue(memberOf(input, "args"));
  const named = NAMES.map((name) => memberOf(input, name)).find((value) => value !== undefined);
  const given = isProgram ? input : (named ?? input);
  return (isListValue(given) ? given : [given]).map(toGiven).filter((one) => one !== null);
}

function toGiven(value: JsonValue): Given | null {
  if (typeof value === "string") return value === "" ? null : { label: value, text: value, words: [] };
  const program = textArgument(value, "command");
  if (program === null) return null;
  const given = memberOf(value, "args");
  if (!isListValue(given)) return { label: program, text: null, words: [program] };
  const args = given.filter((arg) => typeof arg === "string");
  return { label: [program, ...args].join(" "), text: null, words: [program, ...args] };
}
