import pino, { type Logger } from "pino";
import { builtinKeeperSettings } from "../builtin-settings.ts";
import { providerOfWire, wiresWith } from "../builtins.ts";
import { OPTIONS } from "../config/options.ts";
import type { ResolvedConfig } from "../config/resolved.ts";
import type { Keeper } from "../keeper/contract.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { createInlineAnswerer } from "../mcp/inline-call.ts";
import { ownerOfHost } from "../providers/endpoints.ts";
import { createRecorder, type Recorder } from "../proxy/record.ts";
import { type RunningProxy, startProxy } from "../proxy/server.ts";
import { ensureDataFolder, ensureToken } from "./data-folder.ts";
import { destinationProvider } from "./destination-provider.ts";
import { LOCAL_TENANT, openKeeper, providersOf } from "./open-keeper.ts";
import { packageVersion } from "./version.ts";

/** A proxy that serves, and what it serves with. */
export interface Serving {
  readonly proxy: RunningProxy;
  readonly keeper: Keeper;
  /** Opens the proxy's own paths. */
  readonly token: string;
  /** Accepts nothing more, lets requests under way end, and closes the store. `graceMs` as `RunningProxy.close` takes it. */
  close(graceMs?: number): Promise<void>;
}

const SWEEP_EVERY_MS = 60 * 60 * 1000;

/**
 * Opens the store that `config` names and serves on its host and port. `writeLog` takes the log, one JSON line an entry, never
 * with bodies, headers or tokens. Throws `EbbError` when the store or the port cannot be had; then nothing stays open.
 */
export async function startServing(
  config: ResolvedConfig,
  writeLog: (line: string) => void,
  nowMs: () => number = Date.now,
): Promise<Serving> {
  ensureDataFolder(config.dataFolder);
  const token = ensureToken(config.dataFolder);
  const log = pino({ level: config.logLevel, base: null }, { write: writeLog });
  const opened = openKeeper(config, (code, words) => log[levelOf(code)]({ code }, words));
  const { keeper } = opened;
  try {
    const { recordFolder: folder } = config;
    const recorder = folder === null ? null : createRecorder({ folder, log, nowMs });
    const proxy = await listen({ config, keeper, token, recorder, log, nowMs });
    const stopSweeping = keepSweeping(keeper, log);
    return {
      proxy,
      keeper,
      token,
      async close(graceMs) {
        stopSweeping();
        await proxy.close(graceMs);
        await recorder?.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** A model that nobody described is no failure, and neither is a guard that does its work. */
const WARNINGS: ReadonlySet<string> = new Set(["unknown_model", "net_guard"]);

function levelOf(code: string): "warn" | "error" {
  return WARNINGS.has(code) ? "warn" : "error";
}

interface Listening {
  readonly config: ResolvedConfig;
  readonly keeper: Keeper;
  readonly token: string;
  readonly recorder: Recorder | null;
  readonly log: Logger;
  readonly nowMs: () => number;
}

/** Any other than the default one was stated by somebody. */
function statedUpstream({ upstream, isUpstreamStated }: ResolvedConfig): string | null {
  return isUpstreamStated || upstream !== OPTIONS.upstream.default ? upstream : null;
}

async function listen({ config, keeper, token, recorder, log, nowMs }: Listening): Promise<RunningProxy> {
  const { host, port, upstreams } = config;
  const upstream = statedUpstream(config);
  const wires = wiresWith(config.cacheEdits);
  const providers = providersOf(config, builtinKeeperSettings().providers);
  const providerOf = destinationProvider(config, providers);
  const version = packageVersion();
  const tenant = LOCAL_TENANT;
  const answerTool = createInlineAnswerer({ keeper, tenant, nowMs }, (fault) =>
    log.error({ fault: fault instanceof Error ? fault.name : typeof fault }, "a call could not be answered"),
  );
  try {
    const settings = {
      host,
      port,
      upstream,
      upstreams,
      ownerOfHost,
      upstreamOfWire: (wire: string) => providerOfWire(wire).name,
      keeper,
      wires,
      providerOf,
      tenant,
      token,
      log,
      version,
      answerTool,
      ...(recorder === null ? {} : { recorder }),
      nowMs,
    };
    return await startProxy(settings);
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

/** Applies retention at start and every hour. The function stops it. */
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
