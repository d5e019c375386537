import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClientName, ensureClient, runClient } from "../../support/clients.ts";
import { buildEbb, type EbbProcess, ebb, startEbbProcess } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import { LAST_WORDS } from "./work.ts";

const MODEL = "claude-sonnet-4-5";
const TIMEOUT_MS = 120_000;
const SETTINGS = '{\n\t"includeCoAuthoredBy":   false, "env": {}\n}';
const MODELS = '{\n  // mine\n  "providers": { "anthropic": { "headers": { "x-mine": "1" } } }\n}';

let ground: Ground;
let proxy: EbbProcess;
beforeAll(async () => {
  await Promise.all(["claude-2.0.75" as const, "pi" as const].map(ensureClient));
  await buildEbb();
  ground = await openGround({ scenario: { scripts: [{ match: "", steps: [{ text: LAST_WORDS }] }] }, config: null });
  const args = ["--port", "0", "--upstream", ground.url, "--data-folder", ground.dataFolder];
  proxy = await startEbbProcess(ground.home, args);
});
afterAll(async () => {
  await proxy?.stop();
  await ground?.close();
});

/** The client as its user starts it: nothing of Ebb in its environment. */
async function start(name: ClientName, args: readonly string[]): Promise<string> {
  const client = await ensureClient(name);
  const { home, workingFolder } = ground;
  const env = { ANTHROPIC_API_KEY: "not-a-key" };
  const ended = await runClient({ client, args, env, home, workingFolder, timeoutMs: TIMEOUT_MS });
  expect([ended.exitCode, ended.stdout, ended.stderr]).toEqual([
    0,
    expect.stringContaining(LAST_WORDS),
    expect.anything(),
  ]);
  return ground.received().at(-1)?.bodyRaw ?? "";
}

async function change(command: "init" | "remove", agent: string): Promise<string> {
  const place = command === "init" ? ["--port", new URL(proxy.url).port, "--upstream", ground.url] : [];
  const args = [command, agent, "--yes", "--data-folder", ground.dataFolder, ...place];
  return (await ebb(ground.home, args)).toString("utf8");
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(ground.home, name)), { recursive: true });
  writeFileSync(join(ground.home, name), text);
}

function read(name: string): string | null {
  const path = join(ground.home, name);
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

describe("ebb init and ebb remove, as a user types them", () => {
  test("Claude Code goes through the proxy with its tools, and its files are as they were", async () => {
    write(".claude/settings.json", SETTINGS);
    await change("init", "claude");
    const body = await start("claude-2.0.75", ["-p", "Go.", "--model", MODEL]);
    expect(body).toContain('"mcp__ebb__recall"');
    const state = JSON.parse(read(".claude.json") ?? "");
    expect(Object.keys(state).length).toBeGreaterThan(1);
    await change("remove", "claude");
    expect(read(".claude/settings.json")).toBe(SETTINGS);
    const { mcpServers: _, ...others } = state;
    expect(JSON.parse(read(".claude.json") ?? "")).toEqual(others);
  });

  test("pi goes through the proxy, and its file is as it was", async () => {
    write(".pi/agent/models.json", MODELS);
    await change("init", "pi");
    const before = ground.received().length;
    await start("pi", ["-p", "--provider", "anthropic", "--model", MODEL, "--thinking", "off", "Go."]);
    expect(ground.received().length).toBeGreaterThan(before);
    await change("remove", "pi");
    expect(read(".pi/agent/models.json")).toBe(MODELS);
  });
});
