import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { STORE_FILE_NAME } from "../../src/cli/data-folder.ts";
import { flaggedOptions } from "../../src/cli/program.ts";
import { ebbToolOf } from "../../src/engine/recall-channel.ts";
import { TOOL_DEFINITIONS } from "../../src/mcp/definitions.ts";
import { cleanEnvironment } from "../support/clients.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PLUGIN = join(ROOT, "plugins/claude-code");
const PROGRAM = join(ROOT, "bin/ebb.mjs");

const textIn = (path: string): string => readFileSync(join(PLUGIN, path), "utf8");
const jsonIn = (path: string) => JSON.parse(textIn(path));
const commandFiles = readdirSync(join(PLUGIN, "commands")).toSorted();

interface HookEntry {
  readonly matcher?: string;
  readonly hooks: readonly { readonly type: string; readonly command: string; readonly timeout: number }[];
}
const hooks: Readonly<Record<string, readonly HookEntry[]>> = jsonIn("hooks/hooks.json").hooks;

describe("the plugin for Claude Code", () => {
  test("is named by the marketplace of this repository, in the version of the package", () => {
    const { version, license } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const marketplace = JSON.parse(readFileSync(join(ROOT, ".claude-plugin/marketplace.json"), "utf8"));
    expect(marketplace).toMatchObject({ name: "ebb", owner: { name: "Ebb" } });
    expect(marketplace.plugins).toHaveLength(1);
    const [listed] = marketplace.plugins;
    expect(join(ROOT, listed.source)).toBe(PLUGIN);
    expect(jsonIn(".claude-plugin/plugin.json")).toMatchObject({ name: "ebb", version, license });
    expect(listed).toMatchObject({ name: "ebb", version, license });
  });

  test("starts only commands of Ebb that exist, with flags that they take", () => {
    const { command, args } = jsonIn(".mcp.json").mcpServers.ebb;
    const started = [
      [command, ...args].join(" "),
      ...Object.values(hooks).flatMap((entries) => entries.flatMap((one) => one.hooks.map((hook) => hook.command))),
      ...commandFiles.flatMap((file) =>
        [...textIn(`commands/${file}`).matchAll(/^ebb [^\n]*/gm)].map(([line]) => line),
      ),
    ];
    expect(started.length).toBeGreaterThan(5);
    for (const line of started) {
      const [program, name, ...rest] = line.split(" ");
      const spec = COMMANDS.find((one) => one.name === name);
      if (program !== "ebb" || spec === undefined) throw new Error(line);
      const taken = [...spec.flags.map((flag) => flag.name), ...flaggedOptions(spec).map(([key]) => key)];
      const given = rest.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
      expect(given.filter((flag) => !taken.includes(flag))).toEqual([]);
    }
  });

  test("lets its commands use only tools that Ebb has, under the names the client gives them", () => {
    const names = TOOL_DEFINITIONS.map(({ name }) => name as string);
    const allowed = commandFiles.flatMap(
      (file) => /^allowed-tools: (.*)$/m.exec(textIn(`commands/${file}`))?.[1] ?? [],
    );
    expect(allowed).toHaveLength(commandFiles.length);
    const tools = allowed.flatMap((list) => list.split(", ").filter((name) => name.startsWith("mcp__")));
    expect(tools).toContain("mcp__plugin_ebb_ebb__window");
    expect(tools.filter((name) => !names.includes(ebbToolOf(name) ?? ""))).toEqual([]);
    const shell = allowed.flatMap((list) => [...list.matchAll(/Bash\(ebb (\w+):\*\)/g)].map(([, name]) => name));
    expect(shell.filter((name) => !COMMANDS.some((one) => one.name === name))).toEqual([]);
  });

  test("is called by a person alone, so that its commands take no room in the prompt", () => {
    for (const file of commandFiles) expect(textIn(`commands/${file}`)).toContain("\ndisable-model-invocation: true\n");
  });

  test("has hooks that cannot fail or stay", () => {
    expect(Object.keys(hooks).toSorted()).toEqual(["PreCompact", "SessionEnd", "SessionStart", "SubagentStop"]);
    for (const { command, timeout } of Object.values(hooks).flatMap((entries) => entries.flatMap((one) => one.hooks))) {
      expect(command).toMatch(/ \|\| true$/);
      expect(timeout).toBeLessThanOrEqual(5);
    }
  });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-plugin-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `ebb` as a client would: with something on its input, which is then closed. */
async function run(args: readonly string[], input: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { ...cleanEnvironment(folder), ...env },
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, out, err };
}

const SILENT = { code: 0, out: "", err: "" };
const EVENT = JSON.stringify({ hook_event_name: "PreCompact", session_id: "s", trigger: "auto" });

describe("`ebb hook` as a process", () => {
  test.each([
    ["an event of a conversation that nobody knows", EVENT],
    ["nothing", ""],
    ["no JSON", "\u0000\uffff{"],
    ["five megabytes", "x".repeat(5 * 1024 * 1024)],
  ])("is silent and well: %s", async (_, input) => {
    expect(await run(["hook", "--data-folder", join(folder, "data")], input)).toEqual(SILENT);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  test("is silent and well with a configuration that is refused, and with a damaged store", async () => {
    writeFileSync(join(folder, STORE_FILE_NAME), "no database");
    expect(await run(["hook", "--data-folder", folder], EVENT)).toEqual(SILENT);
    writeFileSync(join(folder, "ebb.yaml"), "prot: 1");
    expect(await run(["hook"], EVENT)).toEqual(SILENT);
  });
});

describe("the tool server of the plugin", () => {
  test.each([
    ["lists no tools where `ebb run` started the agent", "http://127.0.0.1:40123/run/a1b2c3d4e5f6", 0],
    ["lists them behind `ebb proxy`", "http://127.0.0.1:4141", 4],
    ["lists them without any proxy", "", 4],
  ])("%s", async (_, address, count) => {
    const env: Record<string, string> = address === "" ? {} : { ANTHROPIC_BASE_URL: address };
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const asked = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: hello },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
    ];
    const { command, args } = jsonIn(".mcp.json").mcpServers.ebb;
    expect(command).toBe("ebb");
    const { code, out } = await run(args, asked.map((one) => `${JSON.stringify(one)}\n`).join(""), env);
    expect(code).toBe(0);
    const [, listed] = out.trim().split("\n");
    expect(JSON.parse(listed ?? "").result.tools).toHaveLength(count);
  });
});
