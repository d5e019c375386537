import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { greetingLines } from "../greeting.ts";
import { type Io, printLine } from "../io.ts";
import { pausedSince } from "../pause-file.ts";
import { lockProxy } from "../run/proxy-lock.ts";
import { startServing } from "../serve-proxy.ts";

/** `ebb proxy`: serves until it is stopped. */
export const proxyCommand: CommandSpec = {
  name: "proxy",
  description: "stand between an agent and its provider, and keep the window clean",
  argument: null,
  flags: [],
  configured: "proxy",
  run: runProxy,
};

async function runProxy(given: GivenArguments, io: Io): Promise<ExitCode> {
  const config = given.config();
  const serving = await startServing(config, (line) => io.err(line));
  const unlock = lockProxy(config, serving.proxy.port, "proxy");
  try {
    // Listened for first: whoever reads the greeting may ask to stop at once.
    const stopped = io.untilStopped();
    for (const line of greetingLines(config, serving.proxy.port, pausedSince(config.dataFolder))) printLine(io, line);
    await stopped;
  } finally {
    unlock();
    await serving.close();
  }
  return 0;
}
