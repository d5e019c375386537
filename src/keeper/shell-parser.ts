import {
  type AndOr,
  type Command,
  type CommandNode,
  type For,
  type Pipeline,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
} from "unbash";
import { resolvePath } from "../lib/paths.ts";
import type { ShellCommand, ShellParser } from "../model/ports.ts";
import { literalOf } from "./shell-word.ts";

const TEXT_CHARS_MAX = 1_000_000;
/** `bash -c` inside `bash -c` is not followed. */
const INNER_SHELLS_MAX = 1;
const SHELLS = new Set(["bash", "sh", "zsh", "dash", "ksh"]);
const ENDS = new Set(["exit", "return", "exec", "logout"]);

/** Where a list of commands runs, and what it ran so far. Each subshell has its own. */
interface Scope {
  readonly found: ShellCommand[];
  readonly innerShells: number;
  directory: string | null;
  /** Nothing more is known: the list was left, or the directory was changed to one that is not in the text. */
  isOver: boolean;
}

/**
 * Parses Bash. Answers the commands that surely ran when the text as a whole succeeded: what stands behind `||`, in a
 * branch, an open loop, a function or a negation is left out. Never throws.
 */
export function createShellParser(): ShellParser {
  return {
    parse(text) {
      if (text.length > TEXT_CHARS_MAX) return null;
      try {
        return commandsOf(text, { found: [], innerShells: 0, directory: null, isOver: false });
      } catch {
        // The package recurses into nested syntax; whatever it cannot take is not understood.
        return null;
      }
    },
  };
}

function commandsOf(text: string, scope: Scope): readonly ShellCommand[] | null {
  const script = parse(text);
  if (script.errors !== undefined && script.errors.length > 0) return null;
  walkStatements(script.commands, scope);
  return scope.found;
}

function walkStatements(statements: readonly Statement[], scope: Scope): void {
  for (const { command, background } of statements) {
    if (scope.isOver) return;
    const place = background === true ? inSubshell(scope) : scope;
    if (command.type === "AndOr") walkAndOr(command, place);
    else walkPipelineNode(command, place);
  }
}

/** Of a chain with `||` only its first command surely ran. */
function walkAndOr(chain: AndOr, scope: Scope): void {
  const sure = chain.operators.includes("||") ? chain.commands.slice(0, 1) : chain.commands;
  for (const command of sure) {
    if (scope.isOver) return;
    walkPipelineNode(command, scope);
  }
}

function walkPipelineNode(node: PipelineNode, scope: Scope): void {
  if (node.type === "Pipeline") walkPipeline(node, scope);
  else walkCommandNode(node, scope);
}

function walkPipeline(pipeline: Pipeline, scope: Scope): void {
  if (pipeline.prefixes.some((prefix) => prefix.type === "Negation")) return;
  const [only] = pipeline.commands;
  if (pipeline.commands.length === 1 && only !== undefined) {
    walkCommandNode(only, scope);
    return;
  }
  for (const command of pipeline.commands) walkCommandNode(command, inSubshell(scope));
}

function walkCommandNode(node: CommandNode, scope: Scope): void {
  switch (node.type) {
    case "Command":
      walkCommand(node, scope);
      break;
    case "Redirected":
      scope.found.push({ words: [], redirects: redirectsOf(node.redirects), directory: scope.directory });
      walkCommandNode(node.command, scope);
      break;
    case "Subshell":
      walkStatements(node.body.commands, inSubshell(scope));
      break;
    case "BraceGroup":
      walkStatements(node.body.commands, scope);
      break;
    case "If":
    case "While":
      walkStatements(node.clause.commands, scope);
      break;
    case "For":
      walkFor(node, scope);
      break;
    case "ArithmeticFor":
    case "Select":
    case "Case":
    case "TestCommand":
    case "ArithmeticCommand":
    case "Function":
    case "Coproc":
      break;
  }
}

/** A loop over words that stand in the text runs at least once. */
function walkFor(loop: For, scope: Scope): void {
  const words = loop.wordlist ?? [];
  if (words.length > 0 && words.every((word) => literalOf(word) !== null)) walkStatements(loop.body.commands, scope);
}

function walkCommand(command: Command, scope: Scope): void {
  const words = command.name === undefined ? [] : [literalOf(command.name), ...command.args.map(literalOf)];
  scope.found.push({ words, redirects: redirectsOf(command.redirects), directory: scope.directory });
  const [name, ...args] = words;
  if (name === undefined) return;
  if (name === "cd" || name === "pushd") changeDirectory(args, scope);
  else if (name === "popd" || (name !== null && ENDS.has(name))) scope.isOver = true;
  else if (name !== null && SHELLS.has(name.slice(name.lastIndexOf("/") + 1))) walkInnerShell(args, scope);
}

function changeDirectory(args: readonly (string | null)[], scope: Scope): void {
  const targets = args.filter((word) => word === null || word === "-" || !word.startsWith("-"));
  const [target] = targets;
  if (targets.length !== 1 || target === undefined || target === null || target === "-" || target === "") {
    scope.isOver = true;
    return;
  }
  scope.directory = resolvePath(target, scope.directory);
}

function walkInnerShell(args: readonly (string | null)[], scope: Scope): void {
  const text = scriptArgument(args);
  if (text === null || scope.innerShells >= INNER_SHELLS_MAX) return;
  commandsOf(text, { ...inSubshell(scope), innerShells: scope.innerShells + 1 });
}

/** The text after `-c`, alone or in a cluster; null where the shell runs a file, or text that is not literal. */
function scriptArgument(args: readonly (string | null)[]): string | null {
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    if (word === undefined || word === null || !/^[-+]./.test(word)) return null;
    if (word.startsWith("--")) continue;
    if (word.includes("c")) return args[index + 1] ?? null;
    if (word.includes("o")) index++;
  }
  return null;
}

/** Its commands are found too; its change of directory ends with it. */
function inSubshell(scope: Scope): Scope {
  return { ...scope };
}

function redirectsOf(redirections: readonly Redirection[]): ShellCommand["redirects"] {
  return redirections.flatMap((one) =>
    one.type === "Redirect"
      ? [{ operator: one.operator, target: one.target === undefined ? null : literalOf(one.target) }]
      : [],
  );
}
