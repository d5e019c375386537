import { Command } from "commander";
import { environmentNameOf, flagOf, type Option, optionEntries } from "../config/options.ts";
import { resolveConfig } from "../config/resolve.ts";
import type { CommandSpec, GivenArguments } from "./command.ts";
import type { Io } from "./io.ts";

/** What a program is made of. */
export interface ProgramParts {
  readonly specs: readonly CommandSpec[];
  readonly version: string;
  readonly io: Io;
  /** The command line that will be parsed. */
  readonly argv: readonly string[];
  /** Learns the exit code of the command that ran. */
  onExit(code: number): void;
}

/** The command line parser for the given commands. */
export function createProgram(parts: ProgramParts): Command {
  const { io, specs, version } = parts;
  const program = new Command("ebb")
    .description(
      "Keeps an agent's context window clean: what is done with leaves a marker and comes back byte for byte.",
    )
    .version(version, "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) => write(text.replace(/^error: /, "ebb: ")),
    })
    .enablePositionalOptions()
    .showSuggestionAfterError(true);
  for (const spec of specs) program.addCommand(createCommand(spec, program, parts));
  return program;
}

/** Options of the configuration that `spec` takes as flags. */
export function flaggedOptions(spec: CommandSpec): readonly (readonly [string, Option<unknown>])[] {
  const { configured } = spec;
  if (configured === null) return [];
  return optionEntries().filter(([, option]) => option.hasFlag && option.commands.includes(configured));
}

/** Printed default of an option. */
export function defaultWordsOf(option: Option<unknown>): string {
  if (option.defaultWords !== undefined) return option.defaultWords;
  return typeof option.default === "string" ? option.default : JSON.stringify(option.default);
}

function createCommand(spec: CommandSpec, program: Command, parts: ProgramParts): Command {
  const command = new Command(spec.name).description(spec.description).copyInheritedSettings(program);
  command.passThroughOptions(spec.passesOn === true);
  if (spec.argument !== null) command.argument(spec.argument.notation, spec.argument.description);
  for (const flag of spec.flags) command.option(notationOf(flag.name, flag.value), flag.description);
  if (spec.configured !== null)
    command.option("--config <file>", "configuration file (default: ./ebb.yaml, then the user's)");
  for (const [key, option] of flaggedOptions(spec)) {
    const words = `${option.description} (${environmentNameOf(key)}; default: ${defaultWordsOf(option)})`;
    command.option(`${flagOf(key)} <${option.type.notation}>`, words);
  }
  return command.action(async () => {
    parts.onExit(await spec.run(givenArguments(spec, command, parts), parts.io));
  });
}

function notationOf(name: string, value: string | null): string {
  return value === null ? `--${name}` : `--${name} <${value}>`;
}

function givenArguments(spec: CommandSpec, command: Command, { argv, io }: ProgramParts): GivenArguments {
  const stated: Record<string, unknown> = command.opts();
  const statedValue = (flag: string): unknown => stated[attributeOf(flag)];
  const textOf = (flag: string): string | null => {
    const value = statedValue(flag);
    return typeof value === "string" ? value : null;
  };
  return {
    positional: command.args,
    isBehindDashes: argv[argv.length - command.args.length - 1] === "--",
    textOf,
    isSet: (flag) => statedValue(flag) === true,
    config: () => {
      const flags = flaggedOptions(spec).flatMap(([key]) => {
        const text = textOf(flagOf(key).slice(2));
        return text === null ? [] : [[key, text] as const];
      });
      return resolveConfig({ configFile: textOf("config"), values: new Map(flags) }, io.place);
    },
  };
}

/** Commander's name for a flag's value: `data-folder` is `dataFolder`. */
function attributeOf(flag: string): string {
  return flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
