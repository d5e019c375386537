import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resolveConfig } from "../../config/resolve.ts";
import type { ResolvedConfig } from "../../config/resolved.ts";
import { main } from "../main.ts";
import { type Serving, startServing } from "../serve-proxy.ts";
import { lockProxy } from "./proxy-lock.ts";
import { addressesOfRuns } from "./run-addresses.ts";

let folder: string;
let config: ResolvedConfig;
let serving: Serving;
/** Nobody listens there. */
let closed: number;
beforeEach(async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  closed = (server.address() as AddressInfo).port;
  server.close();
  folder = mkdtempSync(join(tmpdir(), "ebb-run-addresses-"));
  const values = new Map([
    ["data_folder", join(folder, "data")],
    ["port", "0"],
  ]);
  config = resolveConfig({ configFile: null, values }, { env: {}, cwd: folder, home: folder, platform: "linux" });
  serving = await startServing(config, () => {});
});
afterEach(async () => {
  await serving.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...argv: readonly string[]): Promise<string> {
  let out = "";
  await main([...argv, "--port", String(closed), "--data-folder", config.dataFolder], {
    out: (chunk) => {
      out += Buffer.from(chunk).toString();
    },
    err: (text) => {
      out += text;
    },
    place: { env: {}, cwd: folder, home: folder, platform: "linux" },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => {},
  });
  return out;
}

test("status and stats find the proxy of a run where the configured one does not answer, and stats says which", async () => {
  const { port } = serving.proxy;
  const unlock = lockProxy(config, port, "run");
  const first = `No proxy runs on 127.0.0.1:${closed}; this is \`ebb run\` on http://127.0.0.1:${port}.\nEbb `;
  expect(await run("status")).toBe("no conversation yet\n");
  expect((await run("stats")).startsWith(first)).toBe(true);
  expect(JSON.parse(await run("stats", "--json"))).toMatchObject({ mode: "enforce" });
  unlock();
  expect(await run("status")).toBe("no conversation yet · no proxy\n");
  expect(await run("stats")).toContain(`No proxy runs on 127.0.0.1:${closed}.\n`);
});

test("a proxy of its own, and a run that tells nothing from outside, are no runs to ask", () => {
  const unlock = lockProxy(config, 4141, "proxy");
  expect(addressesOfRuns(config.dataFolder)).toEqual([]);
  unlock();
  const unlockOpen = lockProxy({ ...config, host: "192.0.2.1" }, 4141, "run");
  expect(addressesOfRuns(config.dataFolder)).toEqual([]);
  unlockOpen();
});
