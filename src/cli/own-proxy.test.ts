import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveConfig } from "../config/resolve.ts";
import type { ResolvedConfig } from "../config/resolved.ts";
import { ensureDataFolder, ensureToken } from "./data-folder.ts";
import { main } from "./main.ts";
import { askLocal, askOwnProxy } from "./own-proxy.ts";
import { lockProxy } from "./run/proxy-lock.ts";
import { openRunProxy } from "./run/run-proxy.ts";
import { startServing } from "./serve-proxy.ts";
import { packageVersion } from "./version.ts";

let folder: string;
let config: ResolvedConfig;
let token: string;
const servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-own-proxy-"));
  const values = new Map([
    ["data_folder", join(folder, "data")],
    ["port", "0"],
    ["log_level", "silent"],
  ]);
  config = resolveConfig(
    { configFile: null, values },
    { env: {}, cwd: folder, home: folder, platform: process.platform },
  );
  ensureDataFolder(config.dataFolder);
  token = ensureToken(config.dataFolder);
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Seen {
  readonly port: number;
  /** What each request was for, and the credential it came with. */
  readonly requests: (readonly [string, string | undefined])[];
}

/** A program that says it is this Ebb, and answers everything. */
async function listener(host = "127.0.0.1", at = 0): Promise<Seen> {
  const requests: (readonly [string, string | undefined])[] = [];
  const server = createServer((request, response) => {
    requests.push([request.url ?? "", request.headers.authorization]);
    const status = { status: "ok", version: packageVersion(), mode: "enforce", paused: false };
    response.end(JSON.stringify(request.url === "/healthz" ? status : { ...status, status: null }));
  }).listen(at, host);
  servers.push(server);
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, requests };
}

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let [out, err] = ["", ""];
  const code = await main([...argv, "--data-folder", config.dataFolder], {
    out: (chunk) => {
      out += Buffer.from(chunk).toString();
    },
    err: (text) => {
      err += text;
    },
    place: { env, cwd: folder, home: folder, platform: process.platform },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => {},
  });
  return { code, out, err };
}

const ask = (address: string) =>
  askOwnProxy({ address, path: "/stats", dataFolder: config.dataFolder, token, timeoutMs: 2_000 });

describe("a program on the configured port that is no proxy of the data folder never sees the token", () => {
  test("of ebb stats, which says what it is", async () => {
    const { port, requests } = await listener();
    const { code, out, err } = await run(["stats", "--port", String(port)]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`/stats answers 200: another program, or a proxy with another data folder`);
    expect(requests).toEqual([["/stats", undefined]]);
  });

  test("of ebb status, on the port of the agent around it neither", async () => {
    const { port, requests } = await listener();
    const around = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
    for (const [at, env] of [[String(port), {}] as const, ["1", around] as const]) {
      expect((await run(["status", "--port", at], env)).out).toBe("no conversation yet · no proxy\n");
    }
    expect(requests).toEqual([]);
  });

  test("of ebb doctor, which says whose it may be", async () => {
    const { port, requests } = await listener();
    const { out } = await run(["doctor", "--port", String(port)]);
    expect(out).toContain(`the proxy on http://127.0.0.1:${port} is none of this data folder`);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(([path, credential]) => path !== "/healthz" || credential !== undefined)).toEqual([]);
  });

  test("of ebb run, where it took the port of a proxy that ended under the run", async () => {
    const serving = await startServing(config, () => {});
    const { port } = serving.proxy;
    const unlock = lockProxy(config, port, "proxy");
    const proxy = await openRunProxy({ config, run: "a-run-name", isFresh: false });
    expect([proxy.isShared, proxy.port]).toEqual([true, port]);
    unlock();
    await serving.close();
    const { requests } = await listener("127.0.0.1", port);
    expect([await proxy.end(), requests]).toEqual([null, []]);
  });
});

describe("the token goes where a lock says", () => {
  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.1", "localhost"],
    ["0.0.0.0", "127.0.0.1"],
  ])("for a proxy on %s that is asked as %s", async (host, asked) => {
    const { port, requests } = await listener(host);
    const unlock = lockProxy({ ...config, host }, port, "proxy");
    expect(await ask(`http://${asked}:${port}`)).toMatchObject({ kind: "answered", status: 200 });
    expect(requests).toEqual([["/stats", `Bearer ${token}`]]);
    unlock();
    expect(await ask(`http://${asked}:${port}`)).toEqual({ kind: "foreign" });
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["127.0.0.1", "http://[::1]:PORT"],
    ["127.0.0.1", "http://127.0.0.1:1"],
    ["127.0.0.1", "https://127.0.0.1:PORT"],
    ["localhost", "http://192.0.2.1:PORT"],
    ["0.0.0.0", "http://192.0.2.1:PORT"],
    ["127.0.0.1", "nowhere"],
    ["127.0.0.2", "http://127.0.0.2:PORT"],
  ])("and nobody is asked where the lock says %s and %s is meant", async (host, address) => {
    const { port, requests } = await listener(host);
    lockProxy({ ...config, host }, port, "proxy");
    expect(await ask(address.replace("PORT", String(port)))).toEqual({ kind: "foreign" });
    expect(requests).toEqual([]);
  });
});

describe("whoever listens there", () => {
  test("is told from nobody, and from one that gives no answer", async () => {
    const { port } = await listener();
    const url = `http://127.0.0.1:${port}/healthz`;
    expect(await askLocal(url, 2_000)).toMatchObject({ kind: "answered", status: 200 });
    servers[0]?.removeAllListeners("request").on("request", (_request, response) => {
      response.socket?.end("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    });
    expect(await askLocal(url, 2_000)).toEqual({ kind: "silent" });
    servers[0]?.removeAllListeners("request").on("request", (_request, response) => {
      response.socket?.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    });
    expect(await askLocal(url, 2_000)).toEqual({ kind: "silent" });
    servers[0]?.removeAllListeners("request");
    expect(await askLocal(url, 50)).toEqual({ kind: "silent" });
    servers[0]?.closeAllConnections();
    servers[0]?.close();
    expect(await askLocal(url, 2_000)).toEqual({ kind: "refused" });
  });

  test("is not read to the end of what never ends, and is not followed", async () => {
    const { port, requests } = await listener();
    servers[0]?.removeAllListeners("request").on("request", (request, response) => {
      requests.push([request.url ?? "", undefined]);
      response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` });
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const answer = await askLocal(`http://127.0.0.1:${port}/healthz`, 5_000);
    expect(answer).toMatchObject({ kind: "answered", status: 302 });
    expect(answer.kind === "answered" && answer.text.length < 2 * 1024 * 1024).toBe(true);
    expect(requests).toHaveLength(1);
  });
});
