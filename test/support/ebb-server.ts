import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { providerOfWire, wires } from "../../src/builtins.ts";
import { LOCAL_TENANT, openKeeper } from "../../src/cli/open-keeper.ts";
import { resolveConfig } from "../../src/config/resolve.ts";
import type { KeeperStats } from "../../src/keeper/contract.ts";
import { createInlineAnswerer } from "../../src/mcp/inline-call.ts";
import { startProxy } from "../../src/proxy/server.ts";
import type { SimulatedProvider } from "../../src/replay/simulated/server.ts";

export interface EbbServerOptions {
  /** Text of the configuration file. */
  readonly config: string;
  /** Folder for the configuration file. */
  readonly scratch: string;
  readonly dataFolder: string;
  /** Upstream, and the clock. */
  readonly provider: SimulatedProvider;
  /** Receives problems Ebb reports. */
  readonly errors: string[];
}

export interface EbbServer {
  readonly url: string;
  stats(): KeeperStats;
  close(): Promise<void>;
}

/** Ebb as `ebb proxy` composes it, in this process, on the provider's clock. */
export async function startEbb(options: EbbServerOptions): Promise<EbbServer> {
  const { scratch, provider, errors } = options;
  const configFile = join(scratch, "ebb.yaml");
  writeFileSync(configFile, options.config);
  const values = new Map([["data_folder", options.dataFolder]]);
  const place = { env: {}, cwd: scratch, home: join(scratch, "home"), platform: process.platform };
  const config = resolveConfig({ configFile, values }, place);
  const { keeper, close } = openKeeper(config, (code, words) => errors.push(`${code}: ${words}`));
  const answerTool = createInlineAnswerer({ keeper, tenant: LOCAL_TENANT, nowMs: () => provider.nowMs() }, (fault) =>
    errors.push(`fault: ${String(fault)}`),
  );
  const proxy = await startProxy({
    host: "127.0.0.1",
    port: 0,
    upstream: provider.url,
    keeper,
    answerTool,
    wires,
    providerOf: ({ wire }) => providerOfWire(wire),
    tenant: LOCAL_TENANT,
    token: "",
    log: pino({ level: "silent" }),
    version: "test",
    nowMs: () => provider.nowMs(),
  });
  return {
    url: proxy.url,
    stats: () => keeper.stats(),
    async close() {
      await proxy.close(0);
      await close();
    },
  };
}
