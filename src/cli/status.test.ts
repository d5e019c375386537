import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runIn } from "../../test/support/command-io.ts";
import { bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { prepare } from "../../test/support/keeper.ts";
import { resolveConfig } from "../config/resolve.ts";
import type { Status } from "../keeper/status.ts";
import { sessionFrom } from "./commands/status.ts";
import { lockProxy } from "./run/proxy-lock.ts";
import { type Serving, startServing } from "./serve-proxy.ts";
import { statusLine, tokenWords } from "./status-line.ts";

const FILE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line});`).join("\n");
const STATUS: Status = {
  lineage: "l",
  session: "s",
  model: "m",
  at_ms: 1,
  window_tokens: 84_123,
  released_tokens: 31_400,
  waiting_tokens: 6_000,
  net_usd: -0.1234,
  guarded_since_ms: null,
};

describe("the line", () => {
  test.each([
    [{}, "enforce", false, "window 84k · released 31k · waiting 6k · net -$0.12"],
    [{ waiting_tokens: null, net_usd: null }, null, false, "window 84k · released 31k · no proxy"],
    [{ window_tokens: null }, "observe", false, "window ? · released 31k · waiting 6k · net -$0.12 · observe"],
    [{ net_usd: 0.004 }, "off", true, "window 84k · released 31k · waiting 6k · net $0.00 · paused · off"],
    [
      { net_usd: 2, guarded_since_ms: 1 },
      "enforce",
      false,
      "window 84k · released 31k · waiting 6k · net $2.00 · net guard",
    ],
  ] as const)("of %j in mode %s, paused %s", (changes, mode, paused, line) => {
    expect(statusLine({ status: { ...STATUS, ...changes }, mode, paused })).toBe(line);
  });

  test("of no conversation says so", () => {
    expect(statusLine({ status: null, mode: "enforce", paused: false })).toBe("no conversation yet");
    expect(statusLine({ status: null, mode: null, paused: true })).toBe("no conversation yet · paused · no proxy");
  });

  test("has tokens in four characters", () => {
    expect([0, 999, 1_499, 999_499, 999_500, 1_250_000].map(tokenWords)).toEqual([
      "0",
      "999",
      "1k",
      "999k",
      "1.0M",
      "1.3M",
    ]);
  });
});

describe("the session on standard input", () => {
  test.each([
    ['{"session_id":"abc","model":{}}', "abc"],
    ['{"session_id":7}', null],
    ["null", null],
    ["not json", null],
    ["", null],
  ])("of %j is %j", async (text, session) => {
    expect(await sessionFrom(Readable.from([text]))).toBe(session);
  });

  test("that never comes is waited for a moment only", async () => {
    expect(await sessionFrom(new Readable({ read: () => {} }))).toBeNull();
  });
});

describe("ebb status", () => {
  let folder: string;
  let serving: Serving | null = null;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ebb-status-"));
  });
  afterEach(async () => {
    await serving?.close();
    serving = null;
    rmSync(folder, { recursive: true, force: true });
  });

  function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return runIn(folder, ["status", ...argv, "--data-folder", join(folder, "data")], env);
  }

  /** What listens there is to be taken for a proxy of the data folder. */
  function locked(port: number): void {
    const place = { env: {}, cwd: folder, home: folder, platform: process.platform };
    const values = new Map([["data_folder", join(folder, "data")]]);
    lockProxy(resolveConfig({ configFile: null, values }, place), port, "proxy");
  }

  /** A proxy with one conversation that let one read go at first send. */
  async function served(): Promise<Serving> {
    const values = new Map([
      ["data_folder", join(folder, "data")],
      ["port", "0"],
      ["bound", "{ lines: 300, bytes: 262144 }"],
    ]);
    const place = { env: {}, cwd: folder, home: folder, platform: process.platform };
    const config = resolveConfig({ configFile: null, values }, place);
    serving = await startServing(config, () => {});
    lockProxy(config, serving.proxy.port, "proxy");
    return serving;
  }

  test("asks the configured proxy, or the one an agent around it uses", async () => {
    const { proxy, keeper } = await served();
    expect((await run(["--port", String(proxy.port)])).out).toBe("no conversation yet\n");
    const prepared = await prepare(keeper, bodyOf(read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE)));
    if (prepared.kind === "refuse") throw new Error(prepared.words);
    const usage = { inputTokens: 84_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
    await prepared.finish(
      { usage, messageId: null, stopReason: null, errorType: null, calls: [], isComplete: true },
      200,
    );
    const line = /^window 84k · released \d+k · waiting 0 · net -\$\d+\.\d\d\n$/;
    expect((await run(["--port", String(proxy.port)])).out).toMatch(line);
    const around = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${proxy.port}/run/a-run-name` };
    expect(await run(["--port", "1"], around)).toMatchObject({ code: 0, out: expect.stringMatching(line), err: "" });
    expect((await run(["--session", "other", "--port", String(proxy.port)])).out).toBe("no conversation yet\n");
    const told = JSON.parse((await run(["--json", "--port", String(proxy.port)])).out);
    expect(told).toMatchObject({ running: true, mode: "enforce", paused: false, status: { session: "session" } });
    const alone = await run(["--port", "1"]);
    expect(alone.out).toMatch(/^window 84k · released \d+k · net -\$\d+\.\d\d · no proxy\n$/);
  });

  test("makes nothing where nothing is, and never fails", async () => {
    expect(await run(["--port", "1"])).toEqual({ code: 0, out: "no conversation yet · no proxy\n", err: "" });
    expect(readdirSync(folder)).toEqual([]);
    expect((await run([], { EBB_PORT: "none" })).out).toBe("Ebb: the configuration is refused (ebb doctor)\n");
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data", "ebb.sqlite"), "no database, and longer than the header of one has to be");
    expect(await run(["--port", "1"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("Ebb: the store's file"),
    });
  });

  test("does not wait for a proxy that hangs, and takes no other program for one", async () => {
    mkdirSync(join(folder, "data"), { mode: 0o700 });
    writeFileSync(join(folder, "data", "token"), `${"t".repeat(43)}\n`, { mode: 0o600 });
    let asked = 0;
    const other = createServer((_request, response) => {
      asked++;
      if (asked === 1) response.end('{"status":"ok"}');
    });
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const port = String((other.address() as AddressInfo).port);
    locked(Number(port));
    expect((await run(["--port", port])).out).toBe("no conversation yet · no proxy\n");
    expect((await run(["--port", port])).out).toBe("no conversation yet · no proxy\n");
    expect(asked).toBe(2);
    other.closeAllConnections();
    other.close();
  });

  test.each([
    [{ mode: "\u001b[31menforce", paused: false, status: null }],
    [{ mode: "enforce", paused: "no", status: null }],
    [{ mode: "enforce", paused: false, status: { window_tokens: "x", released_tokens: 1 } }],
    [{ mode: "enforce", paused: false, status: { released_tokens: null } }],
    [{ mode: "enforce", paused: false, status: [] }],
  ])("takes what is no status for no proxy, whatever the session is called: %j", async (answer) => {
    mkdirSync(join(folder, "data"), { mode: 0o700 });
    writeFileSync(join(folder, "data", "token"), `${"t".repeat(43)}\n`, { mode: 0o600 });
    const other = createServer((_request, response) => response.end(JSON.stringify(answer)));
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const port = String((other.address() as AddressInfo).port);
    locked(Number(port));
    for (const session of ["s", "\ud800", "\u001b]0;x\u0007", "x".repeat(100_000)]) {
      const told = await run(["--port", port, "--session", session]);
      expect(told).toEqual({ code: 0, out: "no conversation yet · no proxy\n", err: "" });
    }
    other.closeAllConnections();
    other.close();
  });
});
