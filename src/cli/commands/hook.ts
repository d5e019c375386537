import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { recordHook } from "../hook.ts";

/** `ebb hook`: what a client's hooks run. Silent, and never a failure. */
export const hookCommand: CommandSpec = {
  name: "hook",
  description:
    "record what a hook of Claude Code tells on standard input: a compaction, a cleared conversation, the end of a sub-agent",
  argument: null,
  flags: [],
  configured: "hook",
  run: runHook,
};

async function runHook(given: GivenArguments): Promise<ExitCode> {
  try {
    await recordHook(process.stdin, given.config().dataFolder, Date.now());
  } catch {
    // The client waits for its hook, and may take a failure as a refusal: nothing that goes wrong here may stop it.
  }
  return 0;
}
