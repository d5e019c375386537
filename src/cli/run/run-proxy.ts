import type { ResolvedConfig } from "../../config/resolved.ts";
import type { KeeperStats } from "../../keeper/contract.ts";
import type { ProxyStats } from "../../proxy/counts.ts";
import { ensureDataFolder, readToken } from "../data-folder.ts";
import { ownAddressOf } from "../listening-address.ts";
import { startServing } from "../serve-proxy.ts";
import { packageVersion } from "../version.ts";
import { type AskedProxy, askStats } from "./ask-proxy.ts";
import { lockProxy, readLocks } from "./proxy-lock.ts";
import { createRunLog } from "./run-log.ts";

/** What was counted of one run. */
export type RunStats = KeeperStats & { readonly proxy: ProxyStats };

/** The proxy that one run goes through. */
export interface RunProxy {
  readonly port: number;
  /** It serves others as well, and outlives the run. */
  readonly isShared: boolean;
  /** What an agent's base URL begins with. */
  readonly baseUrl: string;
  /** Ends what was started for the run; answers what was counted of it, null where the proxy is gone. */
  end(): Promise<RunStats | null>;
}

export interface RunProxyOptions {
  /** Upstream and mode are those of the run; host and port do not count. */
  readonly config: ResolvedConfig;
  readonly run: string;
  /** A proxy that runs already is not used. */
  readonly isFresh: boolean;
}

/** Finds a proxy of `ebb proxy` that does what this run is to do, or starts one in this process on a free port. */
export async function openRunProxy({ config, run, isFresh }: RunProxyOptions): Promise<RunProxy> {
  const found = isFresh ? null : await findShared(config);
  return found === null ? startOwn(config, run) : useShared(found, run);
}

/** One of a run ends with its agent, so it is not looked at. */
async function findShared(config: ResolvedConfig): Promise<AskedProxy | null> {
  const { dataFolder } = config;
  const token = readToken(dataFolder);
  if (token === null) return null;
  const version = packageVersion();
  const fitting = readLocks(dataFolder).filter(
    (lock) =>
      lock.owner === "proxy" &&
      lock.version === version &&
      lock.upstream === config.upstream &&
      lock.mode === config.mode &&
      lock.digest === config.digest,
  );
  for (const { host, port } of fitting) {
    const found = { host, port, dataFolder, token };
    const stats = await askStats(found);
    if (stats !== null && stats.version === version && stats.mode === config.mode) return found;
  }
  return null;
}

function useShared(found: AskedProxy, run: string): RunProxy {
  const { host, port } = found;
  return {
    port,
    isShared: true,
    baseUrl: `${ownAddressOf(host, port)}/run/${run}`,
    end: () => askStats(found, run),
  };
}

/** Figures of the keeper are whole once it is closed; those of the proxy are asked for while it still answers. */
async function startOwn(config: ResolvedConfig, run: string): Promise<RunProxy> {
  const host = "127.0.0.1";
  ensureDataFolder(config.dataFolder);
  const serving = await startServing({ ...config, host, port: 0 }, createRunLog(config.dataFolder));
  const { port } = serving.proxy;
  const unlock = lockProxy({ ...config, host }, port, "run");
  return {
    port,
    isShared: false,
    baseUrl: `${ownAddressOf(host, port)}/run/${run}`,
    async end() {
      const stats = await askStats({ host, port, dataFolder: config.dataFolder, token: serving.token }, run);
      unlock();
      await serving.close(END_GRACE_MS);
      return stats === null ? null : { ...serving.keeper.stats(run), proxy: stats.proxy };
    },
  };
}

/** The agent is gone: nobody waits for what is still under way. */
const END_GRACE_MS = 500;
