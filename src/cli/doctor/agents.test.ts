import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { attention, dataFolderIn, examineIn, findingOf, placeIn } from "../../../test/support/doctor/stage.ts";
import type { Place } from "../../config/folders.ts";
import { resolveFrom } from "../../config/resolve.ts";
import { claude } from "../agent-routes/claude.ts";
import { codex } from "../agent-routes/codex.ts";
import { gemini } from "../agent-routes/gemini.ts";
import { opencode } from "../agent-routes/opencode.ts";
import { pi } from "../agent-routes/pi.ts";
import { type RoutedAgent, UnreadableFile } from "../agent-routes/route.ts";
import { lockProxy } from "../run/proxy-lock.ts";
import { startServing } from "../serve-proxy.ts";
import { quoted } from "./quoted.ts";

const EBB = "http://127.0.0.1:4141";

let home = "";
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ebb-doctor-test-"));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(home, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function place(env: Place["env"] = {}): Place {
  return { env, cwd: join(home, "project"), home, platform: "linux" };
}

/** A server of another program; answers its port. */
async function otherProgram(
  answer: (server: Server) => void = (server) => server.on("request", (_, response) => response.end("hello")),
): Promise<number> {
  const server = createServer();
  answer(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A port on which nothing listens any more. */
async function freePort(): Promise<number> {
  const port = await otherProgram();
  await closing.pop()?.();
  return port;
}

describe("an agent's route is read where the agent reads it", () => {
  const inSettings = (url: string): string => JSON.stringify({ env: { ANTHROPIC_BASE_URL: url } });

  test("Claude Code: project before user, and both before the environment", () => {
    const routed = () => claude.routeOf(place({ ANTHROPIC_BASE_URL: EBB }));
    expect(claude.routeOf(place())).toEqual({ kind: "default" });
    expect(routed()).toEqual({ kind: "stated", url: EBB, from: "ANTHROPIC_BASE_URL" });
    const user = write(".claude/settings.json", inSettings("http://user"));
    expect(routed()).toEqual({ kind: "stated", url: "http://user", from: user });
    const project = write("project/.claude/settings.json", `// comment\n${inSettings("http://project")}`);
    expect(routed()).toEqual({ kind: "stated", url: "http://project", from: project });
    const own = write("project/.claude/settings.local.json", inSettings("http://own"));
    expect(routed()).toEqual({ kind: "stated", url: "http://own", from: own });
    const moved = write("elsewhere/settings.json", inSettings("http://moved"));
    rmSync(own);
    rmSync(project);
    const env = { CLAUDE_CONFIG_DIR: join(home, "elsewhere") };
    expect(claude.routeOf(place(env))).toEqual({ kind: "stated", url: "http://moved", from: moved });
  });

  test("Claude Code: a cloud service takes no base URL, unless it is switched off again", () => {
    const env = { CLAUDE_CODE_USE_BEDROCK: "1", ANTHROPIC_BASE_URL: EBB };
    expect(claude.routeOf(place(env))).toMatchObject({ kind: "service", service: "Amazon Bedrock" });
    write(".claude/settings.json", JSON.stringify({ env: { CLAUDE_CODE_USE_BEDROCK: "0" } }));
    expect(claude.routeOf(place(env))).toMatchObject({ kind: "stated", url: EBB });
  });

  test("Codex: the provider that is chosen", () => {
    expect(codex.routeOf(place())).toEqual({ kind: "default" });
    expect(codex.routeOf(place({ OPENAI_BASE_URL: EBB }))).toMatchObject({ url: EBB, from: "OPENAI_BASE_URL" });
    const file = write(
      ".codex/config.toml",
      'model_provider = "mine"\n[model_providers.mine]\nbase_url = "http://mine"\n',
    );
    expect(codex.routeOf(place({ OPENAI_BASE_URL: EBB }))).toEqual({ kind: "stated", url: "http://mine", from: file });
    write(
      ".codex/config.toml",
      '# openai\nopenai_base_url = "http://openai"\n[model_providers.mine]\nbase_url = "http://mine"\n',
    );
    expect(codex.routeOf(place())).toMatchObject({ url: "http://openai" });
    expect(codex.routeOf(place({ CODEX_HOME: join(home, "other") }))).toEqual({ kind: "default" });
  });

  test("opencode: the last of its files that states one", () => {
    const stated = (url: string): string => JSON.stringify({ provider: { anthropic: { options: { baseURL: url } } } });
    expect(opencode.routeOf(place())).toEqual({ kind: "default" });
    write(".config/opencode/opencode.json", stated("http://user"));
    expect(opencode.routeOf(place())).toMatchObject({ url: "http://user" });
    write("project/opencode.jsonc", `/* ours */ ${stated("http://project")}`);
    expect(opencode.routeOf(place())).toMatchObject({ url: "http://project" });
    expect(opencode.routeOf(place({ OPENCODE_CONFIG_CONTENT: stated(EBB) }))).toMatchObject({ url: EBB });
  });

  test("Gemini CLI: its variable, else the first file of variables", () => {
    expect(gemini.routeOf(place())).toEqual({ kind: "default" });
    write(".gemini/.env", "GOOGLE_GEMINI_BASE_URL=http://user # ours\n");
    expect(gemini.routeOf(place())).toMatchObject({ url: "http://user" });
    write("project/.env", "OTHER=1\n");
    expect(gemini.routeOf(place())).toEqual({ kind: "default" });
    expect(gemini.routeOf(place({ GOOGLE_GEMINI_BASE_URL: EBB }))).toMatchObject({ url: EBB });
  });

  test("pi: its Anthropic provider before others", () => {
    expect(pi.routeOf(place())).toEqual({ kind: "default" });
    const providers = { mine: { baseUrl: "http://mine" }, anthropic: { baseUrl: EBB } };
    write(".pi/agent/models.json", JSON.stringify({ providers }));
    expect(pi.routeOf(place())).toMatchObject({ url: EBB });
    write(".pi/agent/models.json", JSON.stringify({ providers: { mine: providers.mine } }));
    expect(pi.routeOf(place())).toMatchObject({ url: "http://mine" });
  });

  test.each<[RoutedAgent, string, string]>([
    [claude, ".claude/settings.json", "{ env: "],
    [codex, ".codex/config.toml", "model_provider = \n"],
    [opencode, "project/opencode.json", "{,}"],
    [pi, ".pi/agent/models.json", "[[["],
  ])("a file that cannot be parsed is named: %o", (agent, name, text) => {
    write(name, text);
    expect(() => agent.routeOf(place())).toThrow(UnreadableFile);
    expect(() => agent.routeOf(place())).toThrow(join(home, name));
  });

  test.each<[RoutedAgent, string]>([
    [claude, ".claude/settings.json"],
    [codex, ".codex/config.toml"],
    [opencode, "project/opencode.json"],
    [gemini, ".gemini/.env"],
    [pi, ".pi/agent/models.json"],
  ])("a file that is empty, or of another shape, states nothing: %o", (agent, name) => {
    for (const text of ["", name.endsWith("json") ? '{"env": 1, "provider": [], "providers": null}' : "x = 1\n"]) {
      write(name, text);
      expect(agent.routeOf(place())).toEqual({ kind: "default" });
    }
  });
});

test("folders that are named by a relative path or an empty name are those that the agents take", () => {
  write("codex/config.toml", `openai_base_url = "${EBB}"\n`);
  write(".codex/config.toml", 'openai_base_url = "http://default"\n');
  write(".pi/agent/models.json", '{"providers":{"anthropic":{"baseUrl":"http://default"}}}');
  write("pi/models.json", `{"providers":{"anthropic":{"baseUrl":"${EBB}"}}}`);
  write(".config/opencode/opencode.json", '{"provider":{"anthropic":{"options":{"baseURL":"http://default"}}}}');
  write("xdg/opencode/opencode.json", `{"provider":{"anthropic":{"options":{"baseURL":"${EBB}"}}}}`);
  const urlsWith = (codexHome: string, piFolder: string, xdg: string): readonly unknown[] => {
    const env = { CODEX_HOME: codexHome, PI_CODING_AGENT_DIR: piFolder, XDG_CONFIG_HOME: xdg, OPENCODE_CONFIG: "" };
    return [codex, pi, opencode].map((agent) => agent.routeOf(place(env))).map((one) => "url" in one && one.url);
  };
  expect(urlsWith("", "", "")).toEqual(["http://default", "http://default", "http://default"]);
  expect(urlsWith("../codex", "~/pi", "../xdg")).toEqual([EBB, EBB, EBB]);
});

const NO_PORT = ["--port", "0"] as const;

describe("ebb doctor says of an agent", () => {
  test("that goes elsewhere, the upstream without the version of its paths", async () => {
    write(".codex/config.toml", 'openai_base_url = "https://gateway.invalid/v1"\n');
    const examined = await examineIn(placeIn(home, ["codex"]), ...NO_PORT);
    expect(attention(examined)).toEqual(["agents/Codex: warn"]);
    expect(findingOf(examined, "agents", "Codex")).toMatchObject({
      words: expect.stringMatching(/which is not Ebb$/),
      fix: expect.stringContaining(`ebb init codex --upstream ${quoted("https://gateway.invalid")}\``),
    });
  });

  test("of opencode in front of a gateway, the upstream without the version of its paths", async () => {
    const options = { baseURL: "https://gateway.invalid/a'b/v1" };
    write(".config/opencode/opencode.json", JSON.stringify({ provider: { anthropic: { options } } }));
    const { fix } = findingOf(await examineIn(placeIn(home, ["opencode"]), ...NO_PORT), "agents", "opencode") ?? {};
    expect(fix).toContain(`ebb init opencode --upstream ${quoted("https://gateway.invalid/a'b")}\``);
  });

  test("that bypasses Ebb, how to lead it through", async () => {
    const examined = await examineIn(placeIn(home, ["claude", "codex"]), ...NO_PORT);
    expect([examined.code, attention(examined)]).toEqual([1, ["agents/Claude Code: warn", "agents/Codex: warn"]]);
    expect(findingOf(examined, "agents", "Claude Code")).toMatchObject({
      words: "goes to its provider directly, past Ebb",
      fix: "`ebb run claude` for one session, or `ebb init claude` for every one",
    });
    expect(findingOf(examined, "agents", "Codex")).toMatchObject({
      words: "goes to its provider directly, past Ebb",
      fix: "`ebb run codex` for one session, or `ebb init codex` for every one",
    });
    expect(findingOf(examined, "agents", "pi")?.words).toBe("not installed");
  });

  test("whose port is dead, that it cannot work", async () => {
    const port = await freePort();
    const env = { ANTHROPIC_BASE_URL: `http://user:secret@127.0.0.1:${port}/?key=secret` };
    const examined = await examineIn(placeIn(home, ["claude"], env), ...NO_PORT);
    expect([examined.code, attention(examined)]).toEqual([1, ["agents/Claude Code: fail"]]);
    expect(findingOf(examined, "agents", "Claude Code")).toMatchObject({
      words: `goes to http://127.0.0.1:${port} (ANTHROPIC_BASE_URL), where nothing answers`,
      fix: `start one there: \`ebb proxy --port ${port}\`; or leave: \`unset ANTHROPIC_BASE_URL\``,
    });
    expect(examined.text).not.toContain("secret");
  });

  test.each([
    ["another program of this machine", async () => `http://localhost:${await otherProgram()}`],
    ["another machine, which is not asked", async () => "https://gateway.invalid/v1"],
  ])("that goes to %s, that it is not Ebb", async (_, address) => {
    const url = await address();
    const asked = vi.spyOn(globalThis, "fetch");
    const examined = await examineIn(placeIn(home, ["claude"], { ANTHROPIC_BASE_URL: url }), ...NO_PORT);
    expect(attention(examined)).toEqual(["agents/Claude Code: warn"]);
    const { fix } = findingOf(examined, "agents", "Claude Code") ?? {};
    expect(fix).toBe(
      `put Ebb in front of it: \`ebb proxy --upstream ${url}\`, and \`ebb init claude --upstream ${url}\` beside it`,
    );
    expect(asked.mock.calls.filter(([to]) => String(to).includes("gateway.invalid"))).toEqual([]);
    asked.mockRestore();
  });

  test("that states no address, or a file that cannot be parsed, what is wrong", async () => {
    write(".pi/agent/models.json", "[[[");
    const examined = await examineIn(placeIn(home, ["claude", "pi"], { ANTHROPIC_BASE_URL: "nowhere" }), ...NO_PORT);
    expect(attention(examined)).toEqual(["agents/Claude Code: fail", "agents/pi: warn"]);
  });
});

describe("ebb doctor says of the port", () => {
  test.each<[string, ((server: Server) => void) | undefined]>([
    ["answers something else", undefined],
    ["does not speak HTTP", (server) => server.on("connection", (socket) => socket.end("SSH-2.0\r\n"))],
    ["accepts and says nothing", (server) => server.on("connection", () => {})],
  ])("that another program took it, which %s", async (_, answer) => {
    const port = await otherProgram(answer);
    const examined = await examineIn(placeIn(home), "--port", String(port));
    expect([examined.code, attention(examined)]).toEqual([1, ["proxy/port: fail"]]);
    expect(findingOf(examined, "proxy", "port")?.fix).toContain(`ebb proxy --port ${port + 1}`);
  });

  test("that a proxy of another version runs there", async () => {
    const port = await otherProgram((server) =>
      server.on("request", (_, response) => response.end(JSON.stringify({ status: "ok", version: "0.0.1" }))),
    );
    const examined = await examineIn(placeIn(home), "--port", String(port));
    expect([examined.code, attention(examined)]).toEqual([1, ["proxy/port: warn"]]);
    expect(findingOf(examined, "proxy", "port")?.words).toContain("is version 0.0.1, this is");
  });

  test("that a proxy with another data folder runs there", async () => {
    const config = { ...resolveFrom(null, new Map(), placeIn(home)), port: 0, dataFolder: join(home, "other") };
    const serving = await startServing({ ...config, logLevel: "silent" }, () => {});
    closing.push(() => serving.close());
    rmSync(join(home, "programs"), { recursive: true });
    const examined = await examineIn(placeIn(home), "--port", String(serving.proxy.port));
    expect([examined.code, attention(examined)]).toEqual([1, ["proxy/port: warn"]]);
    expect(findingOf(examined, "proxy", "port")?.words).toContain("is none of this data folder");
  });

  test("and of the proxies of runs, whether they serve, and in which version", async () => {
    const port = await otherProgram((server) =>
      server.on("request", (_, response) => response.end(JSON.stringify({ status: "ok", version: "0.0.1" }))),
    );
    mkdirSync(join(dataFolderIn(home), "proxies"), { recursive: true, mode: 0o700 });
    write(".local/share/ebb/ebb.sqlite", "");
    const lock = {
      pid: process.pid,
      owner: "run",
      host: "127.0.0.1",
      version: "0.0.1",
      upstream: "http://x",
      mode: "enforce",
    };
    const text = (at: number): string => JSON.stringify({ ...lock, port: at, digest: "d", started_ms: 1 });
    write(`.local/share/ebb/proxies/${process.pid}.json`, text(port));
    chmodSync(join(dataFolderIn(home), "proxies", `${process.pid}.json`), 0o600);
    const place = placeIn(home);
    const older = await examineIn(place, "--port", "0");
    expect([older.code, attention(older)]).toEqual([1, ["proxy/others: warn"]]);
    expect(findingOf(older, "proxy", "others")?.words).toMatch(/^a run's proxy on port \d+ is version 0\.0\.1/);
    write(`.local/share/ebb/proxies/${process.pid}.json`, text(await freePort()));
    expect(findingOf(await examineIn(place, "--port", "0"), "proxy", "others")?.words).toContain(
      "no Ebb answers there",
    );
  });

  test("that nothing can listen on an address of another machine", async () => {
    const examined = await examineIn(placeIn(home), "--port", "1", "--host", "192.0.2.1");
    expect(attention(examined)).toEqual(["proxy/port: fail", "proxy/reach: warn"]);
  });

  test("that other machines reach a proxy that listens on every address", async () => {
    const config = { ...resolveFrom(null, new Map(), placeIn(home)), port: 0, host: "0.0.0.0" };
    const serving = await startServing({ ...config, logLevel: "silent" }, () => {});
    const unlock = lockProxy(config, serving.proxy.port, "proxy");
    closing.push(() => serving.close().finally(unlock));
    rmSync(join(home, "programs"), { recursive: true });
    const examined = await examineIn(placeIn(home), "--port", String(serving.proxy.port), "--host", "0.0.0.0");
    expect([examined.code, attention(examined)]).toEqual([1, ["proxy/reach: warn"]]);
  });
});
