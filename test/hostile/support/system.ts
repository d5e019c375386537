import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { providerOfWire, wires } from "../../../src/builtins.ts";
import { ensureToken } from "../../../src/cli/data-folder.ts";
import { LOCAL_TENANT, openKeeper } from "../../../src/cli/open-keeper.ts";
import { resolveConfig } from "../../../src/config/resolve.ts";
import type { Keeper } from "../../../src/keeper/contract.ts";
import { createInlineAnswerer } from "../../../src/mcp/inline-call.ts";
import type { Store } from "../../../src/model/store.ts";
import type { Stats } from "../../../src/proxy/own-endpoints.ts";
import { startProxy } from "../../../src/proxy/server.ts";
import { type Got, send } from "../../support/proxy/client.ts";

/** A small bound, so that a page of text is released at first send. What was sent in full stays, whatever a batch would bring. */
export const SMALL_BOUND = "preset: standard\npays: false\nbound: { lines: 50, bytes: 20000 }\n";

export interface SystemOptions {
  /** Origin of the provider. */
  readonly upstream: string;
  /** Text of the configuration file. */
  readonly config?: string;
  readonly dataFolder: string;
  readonly clock?: () => number;
}

/** Proxy, keeper and SQLite as `ebb proxy` composes them, in this process. */
export interface System {
  readonly port: number;
  readonly token: string;
  readonly keeper: Keeper;
  readonly store: Store;
  /** Everything logged, at the most talkative level. */
  logText(): string;
  post(body: Uint8Array, headers?: readonly string[]): Promise<Got>;
  /** Asks one of Ebb's own paths as its user. */
  ask(path: string): Promise<Got>;
  stats(): Promise<Stats>;
  close(): Promise<void>;
}

/** Starts a system on a folder that may hold an earlier one's store. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const scratch = mkdtempSync(join(tmpdir(), "ebb-hostile-config-"));
  const configFile = join(scratch, "ebb.yaml");
  writeFileSync(configFile, options.config ?? SMALL_BOUND);
  const values = new Map([["data_folder", options.dataFolder]]);
  const place = { env: {}, cwd: scratch, home: scratch, platform: process.platform };
  const config = resolveConfig({ configFile, values }, place);
  rmSync(scratch, { recursive: true });
  const lines: string[] = [];
  const log = pino({ level: "trace", base: null }, { write: (line: string) => void lines.push(line) });
  const { keeper, store, close } = openKeeper(config, (code, words) => log.error({ code }, words));
  const token = ensureToken(config.dataFolder);
  const { upstream, clock } = options;
  const answerTool = createInlineAnswerer({ keeper, tenant: LOCAL_TENANT, nowMs: clock ?? Date.now }, (fault) =>
    log.error({ fault: String(fault) }, "a call could not be answered"),
  );
  const providerOf = ({ wire }: { readonly wire: string }) => providerOfWire(wire);
  const common = {
    host: "127.0.0.1",
    port: 0,
    upstream,
    keeper,
    answerTool,
    wires,
    providerOf,
    tenant: LOCAL_TENANT,
    token,
    log,
  };
  const proxy = await startProxy({ ...common, version: "test", ...(clock === undefined ? {} : { nowMs: clock }) });
  const ask = (path: string) => send(proxy.port, { path, headers: ["Authorization", `Bearer ${token}`] });
  return {
    port: proxy.port,
    token,
    keeper,
    store,
    logText: () => lines.join(""),
    post: (body, headers = []) => post(proxy.port, body, headers),
    ask,
    stats: async () => JSON.parse((await ask("/stats")).body.toString()),
    async close() {
      await proxy.close(0);
      await close();
    },
  };
}

/** Headers of a client of the Messages API. */
export const CLIENT_HEADERS = [
  ...["Content-Type", "application/json", "X-Api-Key", "key", "Anthropic-Version", "2023-06-01"],
  ...["User-Agent", "claude-cli/2.0.75 (external, cli)"],
];

export function post(port: number, body: Uint8Array, headers: readonly string[] = []): Promise<Got> {
  return send(port, { method: "POST", path: "/v1/messages", headers: [...CLIENT_HEADERS, ...headers], body });
}
