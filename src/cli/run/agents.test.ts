import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isManaged } from "../agent-routes/claude.ts";
import type { AgentCall, Launch } from "./agent.ts";
import { anyCommand } from "./agents/any-command.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { pi } from "./agents/pi.ts";
import { AGENTS, agentOf } from "./agents.ts";

const TOOLS = { command: "/bin/node", args: ["/opt/ebb.mjs", "mcp"] };
const BASE = "http://127.0.0.1:5000/run/a-run-name";

let home = "";

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ebb-agents-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function callOf(args: readonly string[], env: Record<string, string> = {}, said = ""): AgentCall {
  return { args, place: { env, cwd: join(home, "work"), home, platform: "linux" }, ask: () => said };
}

function launch(agent: typeof claude, call: AgentCall, tools: typeof TOOLS | null = TOOLS): Launch {
  return agent.launchOf(call, { baseUrl: BASE, isUpstreamStated: false, tools, folder: "/private" });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

describe("a program", () => {
  test("is the agent of its name, whatever its folder and ending", () => {
    for (const agent of AGENTS) expect(agentOf(agent.name)).toBe(agent);
    expect(agentOf("/usr/local/bin/claude")).toBe(claude);
    expect(agentOf("C:\\tools\\pi.cmd")).toBe(pi);
    expect(agentOf("claude-code-router")).toBe(anyCommand);
  });

  const OPENAI_NAMED = `${BASE}/openai/v1`;
  const GEMINI_NAMED = `${BASE}/gemini`;

  test("that is no agent gets base URLs and nothing else, those of other APIs by name", () => {
    const env = { ANTHROPIC_BASE_URL: BASE, OPENAI_BASE_URL: OPENAI_NAMED, GOOGLE_GEMINI_BASE_URL: GEMINI_NAMED };
    expect(launch(anyCommand, callOf(["-c", "1"]))).toEqual({ args: ["-c", "1"], env, files: {} });
  });

  test("that is no agent keeps a gateway of another API, unless one upstream is stated for all", () => {
    const call = callOf([], { OPENAI_BASE_URL: "https://gateway.example/v1" });
    expect(launch(anyCommand, call).env).toEqual({ ANTHROPIC_BASE_URL: BASE, GOOGLE_GEMINI_BASE_URL: GEMINI_NAMED });
    const route = { baseUrl: BASE, isUpstreamStated: true, tools: null, folder: "/private" };
    const env = { ANTHROPIC_BASE_URL: BASE, OPENAI_BASE_URL: `${BASE}/v1`, GOOGLE_GEMINI_BASE_URL: BASE };
    expect(anyCommand.launchOf(call, route).env).toEqual(env);
  });
});

describe("Claude Code", () => {
  const SERVER = `--mcp-config={"mcpServers":{"ebb":{"command":"/bin/node","args":["/opt/ebb.mjs","mcp"]}}}`;

  test("gets a base URL, tool search and one more tool server, in front of its own arguments", () => {
    expect(launch(claude, callOf(["-p", "hi", "--", "x"]))).toEqual({
      args: [SERVER, "-p", "hi", "--", "x"],
      env: { ANTHROPIC_BASE_URL: BASE, ENABLE_TOOL_SEARCH: "true" },
      files: {},
    });
  });

  test("keeps what the user says of tool search and of strict tool servers", () => {
    const call = callOf(["--strict-mcp-config"], { ENABLE_TOOL_SEARCH: "auto" });
    expect(launch(claude, call)).toEqual({
      args: ["--strict-mcp-config"],
      env: { ANTHROPIC_BASE_URL: BASE },
      files: {},
    });
  });

  test("gets only a base URL where nothing else is to be set", () => {
    expect(launch(claude, callOf(["-p", "hi"]), null)).toEqual({
      args: ["-p", "hi"],
      env: { ANTHROPIC_BASE_URL: BASE },
      files: {},
    });
  });

  test("goes where its settings send it, which are stronger than the environment, and is sent past them", () => {
    write(".claude/settings.json", '{"env":{"ANTHROPIC_BASE_URL":"https://user.example"}}');
    const call = callOf([], { ANTHROPIC_BASE_URL: "https://env.example" });
    expect(claude.statedUrl(call)).toBe("https://user.example");
    write("work/.claude/settings.local.json", '{"env":{"ANTHROPIC_BASE_URL":"https://project.example"}}');
    expect(claude.statedUrl(call)).toBe("https://project.example");
    expect(launch(claude, call).args).toContain(`--settings={"env":{"ANTHROPIC_BASE_URL":"${BASE}"}}`);
    expect(claude.statedUrl({ ...call, place: { ...call.place, home: "/nobody", cwd: "/" } })).toBe(
      "https://env.example",
    );
  });
});

describe("Claude Code that a base URL does not reach", () => {
  test("is started without Ebb where its settings name a service of its own", () => {
    expect(claude.obstacle(callOf([]))).toBeNull();
    write(".claude/settings.json", '{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}');
    expect(claude.obstacle(callOf([]))).toContain("Amazon Bedrock");
    expect(claude.obstacle(callOf([], { CLAUDE_CODE_USE_VERTEX: "0" }))).toContain("Amazon Bedrock");
  });

  test("or where managed settings state it", () => {
    expect(isManaged("/etc/claude-code/managed-settings.json")).toBe(true);
    expect(isManaged("/home/me/.claude/settings.json")).toBe(false);
  });

  test("is started with it where its settings cannot be read: it says so itself", () => {
    write(".claude/settings.json", "{ not json");
    expect([claude.obstacle(callOf([])), claude.statedUrl(callOf([]))]).toEqual([null, null]);
    expect(launch(claude, callOf([])).env.ANTHROPIC_BASE_URL).toBe(BASE);
  });
});

describe("opencode", () => {
  test("has its provider and one more tool server merged into the content that was there", () => {
    const content = {
      model: "a/b",
      provider: { anthropic: { options: { apiKey: "k" } }, other: {} },
      mcp: { own: {} },
    };
    const call = callOf(["run", "hi"], { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) });
    const { args, env } = launch(opencode, call);
    expect(args).toEqual(["run", "hi"]);
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? "")).toEqual({
      model: "a/b",
      provider: { anthropic: { options: { apiKey: "k", baseURL: BASE } }, other: {} },
      mcp: { own: {}, ebb: { type: "local", command: ["/bin/node", "/opt/ebb.mjs", "mcp"], enabled: true } },
    });
  });

  test("tells itself where it goes, by its whole configuration", () => {
    const said = '{"provider":{"anthropic":{"options":{"baseURL":"https://gateway.example/v1"}}}}';
    expect(opencode.statedUrl(callOf([], {}, said))).toBe("https://gateway.example/v1");
    expect(opencode.statedUrl(callOf([], { ANTHROPIC_BASE_URL: "https://env.example" }, "{}"))).toBe(
      "https://env.example",
    );
    expect(opencode.statedUrl(callOf([], {}, "not found"))).toBeNull();
  });
});

describe("Codex", () => {
  test("gets overrides in front of its arguments, as TOML", () => {
    expect(launch(codex, callOf(["exec", "hi"])).args).toEqual([
      "-c",
      `openai_base_url="${BASE}"`,
      "-c",
      'mcp_servers.ebb.command="/bin/node"',
      "-c",
      'mcp_servers.ebb.args=["/opt/ebb.mjs","mcp"]',
      "exec",
      "hi",
    ]);
  });

  test("goes where its configuration or its variable sends it, else where its login belongs", () => {
    const call = callOf([], { OPENAI_BASE_URL: "https://env.example/v1" });
    expect(codex.statedUrl(call)).toBe("https://env.example/v1");
    write(".codex/config.toml", 'model = "m"\nopenai_base_url = "https://file.example/v1"\n');
    expect(codex.statedUrl(call)).toBe("https://file.example/v1");
    expect(codex.defaultUrl(callOf([], {}, "Logged in using ChatGPT"))).toBe("https://chatgpt.com/backend-api/codex");
    expect(codex.defaultUrl(callOf([], {}, "Not logged in"))).toBe("https://api.openai.com/v1");
  });
});

describe("Codex with a provider of its own", () => {
  test("is pointed at Ebb by that provider's address", () => {
    write(
      ".codex/config.toml",
      'model_provider = "mine"\n[model_providers.mine]\nbase_url = "https://mine.example/v1"\n',
    );
    const call = callOf(["exec"], { OPENAI_BASE_URL: "https://env.example/v1" });
    expect([codex.statedUrl(call), codex.obstacle(call)]).toEqual(["https://mine.example/v1", null]);
    expect(launch(codex, call).args.slice(0, 2)).toEqual(["-c", `model_providers.mine.base_url="${BASE}"`]);
  });

  test.each([
    ["that has no address", 'model_provider = "oss"\n'],
    [
      "whose name an override cannot say",
      'model_provider = "a.b"\n[model_providers."a.b"]\nbase_url = "https://x.example"\n',
    ],
  ])("%s is started without Ebb", (_, config) => {
    write(".codex/config.toml", config);
    expect(codex.obstacle(callOf([]))).toContain("states no address that could be replaced");
  });
});

describe("Gemini CLI", () => {
  test("goes where the first .env file sends it", () => {
    write(".gemini/.env", "GOOGLE_GEMINI_BASE_URL=https://file.example\n");
    expect(gemini.statedUrl(callOf([]))).toBe("https://file.example");
    expect(gemini.statedUrl(callOf([], { GOOGLE_GEMINI_BASE_URL: "https://env.example" }))).toBe("https://env.example");
  });

  test("is started without Ebb unless its settings say that it uses a key", () => {
    expect(gemini.obstacle(callOf([]))).toContain("gemini-api-key");
    write(".gemini/settings.json", '{ "security": { "auth": { "selectedType": "gemini-api-key" } } } // mine');
    expect(gemini.obstacle(callOf([]))).toBeNull();
    expect(launch(gemini, callOf(["-p", "hi"]))).toEqual({
      args: ["-p", "hi"],
      env: { GOOGLE_GEMINI_BASE_URL: BASE },
      files: {},
    });
  });
});

describe("pi", () => {
  const MODELS = `{
    // gateways of mine
    "providers": {
      "anthropic": { "baseUrl": "https://gateway.example" },
      "mine": { "baseUrl": "https://mine.example", "api": "anthropic-messages", },
      "chat": { "baseUrl": "https://chat.example/v1", "api": "openai-completions" },
      "other": { "baseUrl": "https://other.example/v1", "api": "bedrock-converse-stream" },
    },
  }`;

  test("gets an extension that sets one address", async () => {
    const { args, env, files } = launch(pi, callOf(["-p", "hi"]));
    expect(args).toEqual(["--extension", "/private/ebb.mjs", "-p", "hi"]);
    expect(env).toEqual({});
    const file = join(home, "ebb.mjs");
    writeFileSync(file, files["ebb.mjs"] ?? "");
    const { default: extend } = await import(file);
    const registered: unknown[] = [];
    extend({ registerProvider: (...given: unknown[]) => registered.push(given) });
    expect(registered).toEqual([["anthropic", { baseUrl: BASE }]]);
  });

  test("goes where its models file sends the provider", () => {
    expect(pi.statedUrl(callOf([]))).toBeNull();
    write(".pi/agent/models.json", MODELS);
    expect(pi.statedUrl(callOf([]))).toBe("https://gateway.example");
    expect(pi.statedUrl(callOf(["--provider", "mine"]))).toBe("https://mine.example");
    expect(pi.statedUrl(callOf(["--provider", "chat"]))).toBe("https://chat.example/v1");
    for (const name of ["mine", "chat"]) {
      expect(launch(pi, callOf(["--provider", name])).files["ebb.mjs"]).toContain(`"${name}"`);
    }
  });

  test.each([[["--provider", "other"]], [["--provider", "google"]], [["--provider"]]])(
    "keeps to the built-in provider where Ebb could not read the one that is named: %j",
    (args) => {
      write(".pi/agent/models.json", MODELS);
      expect(pi.statedUrl(callOf(args))).toBe("https://gateway.example");
      expect(launch(pi, callOf(args)).files["ebb.mjs"]).toContain('"anthropic"');
    },
  );

  test("keeps its folder where a variable names another one", () => {
    write("elsewhere/models.json", MODELS);
    expect(pi.statedUrl(callOf([], { PI_CODING_AGENT_DIR: join(home, "elsewhere") }))).toBe("https://gateway.example");
  });
});
