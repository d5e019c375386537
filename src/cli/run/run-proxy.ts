import type { ResolvedConfig } from "../../config/resolved.ts";
import type { KeeperStats } from "../../keeper/contract.ts";
import type { ProxyStats } from "../../proxy/counts.ts";
import { ensureDataFolder, readToken } from "../data-folder.ts";
import { ownAddressOf } from "../listening-address.ts";
import { startServing } from "../serve-proxy.ts";
import { packageVersion } from "../version.ts";
import { askStats } from "./ask-proxy.ts";
import { lockProxy, type ProxyLock, readLocks } from "./proxy-lock.ts";
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

type Found = Pick<ProxyLock, "host" | "port"> & { readonly token: string };

/** One of a run ends with its agent, so it is not looked at. */
async function findShared(config: ResolvedConfig): Promise<Found | null> {
  const token = readToken(config.dataFolder);
  if (token === null) return null;
  const version = packageVersion();
  const fitting = readLocks(config.dataFolder).filter(
    (lock) =>
      lock.owner === "proxy" &&
      lock.version === version &&
      lock.upstream === config.upstream &&
      lock.mode === config.mode &&
      lock.digest === config.digest,
  );
  for (const { host, port } of fitting) {
    const stats = await askStats({ host, port, token });
    if (stats !== null && stats.version === version && stats.mode === config.mode) return { host, port, token };
  }
  return null;
}

function useShared({ host, port, token }: Found, run: string): RunProxy {
  return {
    port,
    isShared: true,
    baseUrl: `${ownAddressOf(host, port)}/run/${run}`,
    end: () => askStats({ host, port, token }, run),
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
      const stats = await askStats({ host, port, token: serving.token }, run);
      unlock();
      await serving.close(END_GRACE_MS);
      return stats === null ? null : { ...serving.keeper.stats(run), proxy: stats.proxy };
    },
  };
}

/** The agent is gone: nobody waits for what is still under way. */
const END_GRACE_MS = 500;
