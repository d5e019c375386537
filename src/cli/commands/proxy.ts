import pino, { type Logger } from "pino";
import { wiresWith } from "../../builtins.ts";
import type { ResolvedConfig } from "../../config/resolved.ts";
import type { Keeper } from "../../keeper/contract.ts";
import { EbbError } from "../../lib/ebb-error.ts";
import { type RunningProxy, startProxy } from "../../proxy/server.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { ensureDataFolder, ensureToken } from "../data-folder.ts";
import { greetingLines } from "../greeting.ts";
import { type Io, printLine } from "../io.ts";
import { LOCAL_TENANT, openKeeper } from "../open-keeper.ts";
import { packageVersion } from "../version.ts";

const SWEEP_EVERY_MS = 60 * 60 * 1000;

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
  ensureDataFolder(config.dataFolder);
  const token = ensureToken(config.dataFolder);
  const log = createLog(config.logLevel, io);
  const { keeper, close } = openKeeper(config, (code, words) => log[levelOf(code)]({ code }, words));
  try {
    const proxy = await start({ config, keeper, token, log });
    const stopSweeping = keepSweeping(keeper, log);
    // Listened for first: whoever reads the greeting may ask to stop at once.
    const stopped = io.untilStopped();
    for (const line of greetingLines(config, proxy.port)) printLine(io, line);
    await stopped;
    stopSweeping();
    await proxy.close();
  } finally {
    await close();
  }
  return 0;
}

/** A model that nobody described is no failure. */
function levelOf(code: string): "warn" | "error" {
  return code === "unknown_model" ? "warn" : "error";
}

interface Serving {
  readonly config: ResolvedConfig;
  readonly keeper: Keeper;
  readonly token: string;
  readonly log: Logger;
}

async function start({ config, keeper, token, log }: Serving): Promise<RunningProxy> {
  const { host, port, upstream } = config;
  const wires = wiresWith(config.cacheEdits);
  const version = packageVersion();
  try {
    return await startProxy({ host, port, upstream, keeper, wires, tenant: LOCAL_TENANT, token, log, version });
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    if (error.code === "config_invalid") {
      const expected = "expected an address of this machine and a port this user may open";
      throw new EbbError("config_invalid", `host, port: ${expected}; ${error.message}`, error);
    }
    if (error.code !== "address_in_use") throw error;
    throw new EbbError("address_in_use", `${error.message}; choose another with --port, or stop that program`, error);
  }
}

/** Applies retention at start and every hour. The second function stops it. */
function keepSweeping(keeper: Keeper, log: Logger): () => void {
  const sweep = (): void => {
    keeper.sweep(Date.now()).catch((error: unknown) => {
      log.error({ code: error instanceof EbbError ? error.code : "unknown" }, "retention could not be applied");
    });
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_EVERY_MS);
  return () => clearInterval(timer);
}

/** One JSON line an entry on the error stream. Never bodies, headers or tokens. */
function createLog(level: ResolvedConfig["logLevel"], io: Io): Logger {
  return pino({ level, base: null }, { write: (line: string) => io.err(line) });
}
