import { CommanderError } from "commander";
import { EbbError } from "../lib/ebb-error.ts";
import { type CommandSpec, type ExitCode, UsageError } from "./command.ts";
import { hookCommand } from "./commands/hook.ts";
import { statusCommand } from "./commands/status.ts";
import { type Io, processIo, withPlainErrors } from "./io.ts";
import { createProgram } from "./program.ts";
import { packageVersion } from "./version.ts";

/** Runs one command line, without the program's name. Resolves to its exit code; only our own mistakes are thrown. */
export async function main(argv: readonly string[], given: Io = processIo()): Promise<number> {
  const io = withPlainErrors(given);
  let code = 0;
  const program = createProgram({
    specs: await specsFor(argv),
    version: packageVersion(),
    io,
    argv,
    onExit: (exitCode) => {
      code = exitCode;
    },
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    return failed(error, io);
  }
}

/** Commands that a client waits for: they start without what the others need. */
const QUICK: readonly CommandSpec[] = [hookCommand, statusCommand];

async function specsFor([name]: readonly string[]): Promise<readonly CommandSpec[]> {
  if (QUICK.some((spec) => spec.name === name)) return QUICK;
  return (await import("./commands.ts")).COMMANDS;
}

function failed(error: unknown, io: Io): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    io.err(`ebb: ${error.message}\n`);
    return 2;
  }
  if (!(error instanceof EbbError)) throw error;
  const isConfiguration = error.code === "config_invalid";
  io.err(isConfiguration ? `ebb: the configuration is refused\n${error.message}\n` : `ebb: ${error.message}\n`);
  return isConfiguration ? 2 : 1;
}
