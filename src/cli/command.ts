import type { ConfiguredCommand } from "../config/options.ts";
import type { ResolvedConfig } from "../config/resolved.ts";
import type { Io } from "./io.ts";

/** Exit codes: 0 done, 1 a finding or a failure, 2 wrong usage or configuration. */
export type ExitCode = 0 | 1 | 2;

/** One flag of a command that is not an option of the configuration. `value` null: a switch. */
export interface CommandFlag {
  /** Without the leading `--`. */
  readonly name: string;
  readonly value: string | null;
  readonly description: string;
}

/** One command, as data: help, reference page and parser come from it. */
export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  /** Its positional argument, in commander's notation (`<id>`, `[paths...]`); null for none. */
  readonly argument: { readonly notation: string; readonly description: string } | null;
  /** From the first positional argument on, everything is another program's, flags among it. */
  readonly passesOn?: true;
  readonly flags: readonly CommandFlag[];
  /** Name under which the options of the configuration list it; null when it reads no configuration. */
  readonly configured: ConfiguredCommand | null;
  /** Resolves to an `ExitCode` of Ebb, or to the exit code of the program that it ran. */
  run(given: GivenArguments, io: Io): Promise<number>;
}

/** What the command line states for one command. */
export interface GivenArguments {
  readonly positional: readonly string[];
  /** The positional arguments stand behind `--`. */
  readonly isBehindDashes: boolean;
  /** Text of a flag that takes a value; null when it is not given. */
  textOf(flag: string): string | null;
  isSet(flag: string): boolean;
  /** Reads and checks the configuration; throws `config_invalid`. */
  config(): ResolvedConfig;
}

/** The user asked for something that cannot be meant; printed without a stack, exit code 2. */
export class UsageError extends Error {
  constructor(words: string) {
    super(words);
    this.name = "UsageError";
  }
}
