import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { applyPatch, parsePatch } from "diff";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type InitHome, openInitHome } from "../../../test/support/init/init-home.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../bin/ebb.mjs");
const URL = "http://127.0.0.1:4141";
const SERVER = { command: process.execPath, args: [PROGRAM, "mcp"] };
const OPENAI = ["--upstream", "https://api.openai.com"];

let home: InitHome;
beforeEach(() => {
  home = openInitHome();
});
afterEach(() => home.close());

/** What each agent's files are to hold, by where they lie in the home folder. */
const AGENTS = [
  [
    "claude",
    {
      ".claude/settings.json": { env: { ANTHROPIC_BASE_URL: URL, ENABLE_TOOL_SEARCH: "true" } },
      ".claude.json": { mcpServers: { ebb: { type: "stdio", ...SERVER } } },
    },
  ],
  [
    "opencode",
    {
      ".config/opencode/opencode.json": {
        $schema: "https://opencode.ai/config.json",
        provider: { anthropic: { options: { baseURL: `${URL}/v1` } } },
        mcp: { ebb: { type: "local", command: [SERVER.command, ...SERVER.args], enabled: true } },
      },
    },
  ],
  ["gemini", { ".gemini/settings.json": { mcpServers: { ebb: SERVER } } }],
  ["pi", { ".pi/agent/models.json": { providers: { anthropic: { baseUrl: URL } } } }],
] as const;

const JSON_TEXTS: readonly (readonly [string, string])[] = [
  ["an empty file", ""],
  ["white space", "\n  \n"],
  ["an empty object", "{}"],
  ["an empty object over two lines", "{\n}\n"],
  ["one line", '{"theme":"dark"}'],
  ["comments and tabs", '// mine\n{\n\t// looks\n\t"theme": "dark", // as it is\n\t/* end */\n}\n// after\n'],
  [
    "lines that end in CRLF, and a mark",
    '\ufeff{\r\n    "theme": "dark",\r\n    "env": {\r\n        "A": "1"\r\n    }\r\n}',
  ],
  ["a comma after the last", '{\n  "env": { "A": "1", },\n  "mcpServers": {},\n}'],
];

describe.each(AGENTS)("ebb init %s", (agent, files) => {
  const names = Object.keys(files);

  test("makes what is missing, and ebb remove deletes it with the folders it made", async () => {
    const made = await home.run(["init", agent, "--yes"]);
    expect(made.code).toBe(0);
    for (const [name, value] of Object.entries(files)) {
      expect(JSON.parse(home.read(name) ?? "")).toEqual(value);
      expect(made.out).toContain(`--- /dev/null\n+++ ${home.path(name)}\n`);
      expect(statSync(home.path(name)).mode & 0o777).toBe(0o600);
    }
    expect((await home.run(["remove", agent, "--yes"])).code).toBe(0);
    for (const name of names) {
      expect(home.read(name)).toBeNull();
      if (name.includes("/")) expect(() => statSync(home.path(name.split("/")[0] ?? ""))).toThrow("ENOENT");
    }
  });

  test.each(JSON_TEXTS)("leaves %s as it was, after ebb remove byte for byte", async (_, text) => {
    for (const name of names) home.write(name, text);
    expect((await home.run(["init", agent, "--yes"])).code).toBe(0);
    for (const name of names) expect(home.read(name)).not.toBe(text);
    const second = await home.run(["init", agent, "--yes"]);
    expect([second.code, second.out]).toEqual([0, expect.stringContaining("is set up already: nothing to change")]);
    expect((await home.run(["remove", agent, "--yes"])).code).toBe(0);
    for (const name of names) expect(home.read(name)).toBe(text);
  });

  test("prints the exact change alone with --dry-run, and writes nothing", async () => {
    for (const name of names) home.write(name, '{\n  "theme": "dark"\n}\n');
    const { code, out } = await home.run(["init", agent, "--dry-run"]);
    expect(code).toBe(0);
    for (const name of names) expect(home.read(name)).toBe('{\n  "theme": "dark"\n}\n');
    expect(out.split("\n").every((line) => /^([-+ @\\]|$)/.test(line))).toBe(true);
    await home.run(["init", agent, "--yes"]);
    const patches = parsePatch(out);
    for (const name of names) {
      const patch = patches.find((one) => one.newFileName === home.path(name));
      expect(patch && applyPatch('{\n  "theme": "dark"\n}\n', patch)).toBe(home.read(name));
    }
  });
});

test("the change that is shown puts lines in and touches no other", async () => {
  home.write(
    ".claude/settings.json",
    '{\n  // looks\n  "theme": "dark", // as it is\n  "env": {\n    "A": "1"\n  }\n}\n',
  );
  home.write(".claude.json", '{\n  "numStartups": 4\n}\n');
  const { out } = await home.run(["init", "claude", "--dry-run"]);
  expect(out).toBe(
    [
      `--- ${home.path(".claude/settings.json")}`,
      `+++ ${home.path(".claude/settings.json")}`,
      "@@ -2,6 +2,8 @@",
      "   // looks",
      '   "theme": "dark", // as it is',
      '   "env": {',
      `+    "ANTHROPIC_BASE_URL": "${URL}",`,
      '+    "ENABLE_TOOL_SEARCH": "true",',
      '     "A": "1"',
      "   }",
      " }",
      `--- ${home.path(".claude.json")}`,
      `+++ ${home.path(".claude.json")}`,
      "@@ -1,3 +1,13 @@",
      " {",
      '+  "mcpServers": {',
      '+    "ebb": {',
      '+      "type": "stdio",',
      `+      "command": ${JSON.stringify(process.execPath)},`,
      '+      "args": [',
      `+        ${JSON.stringify(PROGRAM)},`,
      '+        "mcp"',
      "+      ]",
      "+    }",
      "+  },",
      '   "numStartups": 4',
      " }",
      "",
    ].join("\n"),
  );
});

describe("ebb init codex", () => {
  const FILE = ".codex/config.toml";
  const TEXT = '# mine\nmodel = "x" # good\n\n[projects."/p"]\ntrust_level = "trusted"';

  test.each([
    ["a missing file", null],
    ["an empty file", ""],
    ["comments, and no last line end", TEXT],
    ["lines that end in CRLF", TEXT.replaceAll("\n", "\r\n")],
    ["a mark at its beginning", `\ufeff${TEXT}\n`],
  ])("routes it where the upstream speaks its API, in %s, and undoes that", async (_, text) => {
    if (text !== null) home.write(FILE, text);
    expect((await home.run(["init", "codex", "--yes", ...OPENAI])).code).toBe(0);
    const mark = text?.startsWith("\ufeff") === true ? 1 : 0;
    expect(parse(home.read(FILE)?.slice(mark) ?? "")).toEqual({
      ...parse(text?.slice(mark) ?? ""),
      openai_base_url: `${URL}/v1`,
      mcp_servers: { ebb: SERVER },
    });
    expect((await home.run(["init", "codex", "--yes", ...OPENAI])).out).toContain("nothing to change");
    expect((await home.run(["remove", "codex", "--yes"])).code).toBe(0);
    expect(home.read(FILE)).toBe(text);
  });

  test.each([
    [null, "/openai/v1"],
    ['{ "OPENAI_API_KEY": "k", "tokens": { "id_token": "t" } }', "/openai/v1"],
    ['{ "OPENAI_API_KEY": null, "tokens": { "id_token": "t" } }', "/chatgpt"],
  ])("routes it by the name of its provider where no upstream is stated: %s", async (auth, suffix) => {
    if (auth !== null) home.write(".codex/auth.json", auth);
    expect((await home.run(["init", "codex", "--yes"])).code).toBe(0);
    expect(parse(home.read(FILE) ?? "")).toEqual({
      openai_base_url: `${URL}${suffix}`,
      mcp_servers: { ebb: SERVER },
    });
    expect((await home.run(["init", "codex", "--yes"])).out).toContain("nothing to change");
    expect((await home.run(["remove", "codex", "--yes"])).code).toBe(0);
    expect(home.read(FILE)).toBe(null);
  });

  test("does not route a provider of the user's where no upstream is stated, and says so", async () => {
    home.write(FILE, 'model_provider = "gw"\n[model_providers.gw]\nbase_url = "https://gw.example/v1"\n');
    const { out } = await home.run(["init", "codex", "--yes"]);
    expect(out).toContain("Codex is not routed: name its provider's address as `upstream`");
    expect(out).not.toContain("ebb proxy");
    expect(parse(home.read(FILE) ?? "")).toMatchObject({ mcp_servers: { ebb: SERVER } });
  });

  test("exchanges the address of a provider of the user's, which keeps its key", async () => {
    const text =
      'model_provider = "gw"\n[model_providers.gw]\nbase_url = "https://gw.example/v1" # ours\nenv_key = "K"\n';
    home.write(FILE, text);
    const refused = await home.run(["init", "codex", "--yes", ...OPENAI]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("set `upstream: https://gw.example` in ebb.yaml"),
    ]);
    expect(home.read(FILE)).toBe(text);
    expect((await home.run(["init", "codex", "--yes", "--upstream", "https://gw.example"])).code).toBe(0);
    expect(home.read(FILE)).toContain(`base_url = "${URL}/v1" # ours\nenv_key = "K"\n`);
    expect((await home.run(["remove", "codex", "--yes"])).code).toBe(0);
    expect(home.read(FILE)).toBe(text);
  });

  test("honours CODEX_HOME, and an upstream with a path", async () => {
    const env = { CODEX_HOME: home.path("codex") };
    await home.run(["init", "codex", "--yes", "--upstream", "https://chatgpt.com/backend-api/codex"], { env });
    expect(parse(home.read("codex/config.toml") ?? "")).toMatchObject({ openai_base_url: URL });
  });
});

describe("a base URL that is set already", () => {
  const TABLE = [
    ["claude", ".claude/settings.json", (url: string) => `{ "env": { "ANTHROPIC_BASE_URL": "${url}" } }`, ""],
    [
      "pi",
      ".pi/agent/models.json",
      (url: string) => `{ "providers": { "anthropic": { "baseUrl": "${url}" } } } // mine`,
      "",
    ],
    [
      "opencode",
      ".config/opencode/opencode.json",
      (url: string) => `{ "provider": { "anthropic": { "options": { "baseURL": "${url}" } } } }`,
      "/v1",
    ],
  ] as const;

  test.each(TABLE)(
    "of %s is shown and kept, with the option that puts it behind Ebb",
    async (agent, name, textOf, suffix) => {
      const text = textOf(`https://gw.example/x${suffix}`);
      home.write(name, text);
      const { code, err } = await home.run(["init", agent, "--yes"]);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(
          `https://gw.example/x${suffix}; to keep it behind Ebb, set \`upstream: https://gw.example/x\``,
        ),
      ]);
      expect(err).toContain(`${home.path(name)}:1: `);
      expect(home.read(name)).toBe(text);
      expect(home.read(".claude.json")).toBeNull();
    },
  );

  test.each(TABLE)(
    "of %s is exchanged where it is the upstream, or with --replace, and put back",
    async (agent, name, textOf, suffix) => {
      for (const how of [["--upstream", "https://gw.example/x/"], ["--replace"]]) {
        const text = textOf(`https://gw.example/x${suffix}`);
        home.write(name, text);
        const made = await home.run(["init", agent, "--yes", ...how]);
        expect(made.code).toBe(0);
        expect(made.out).toContain(how[0] === "--replace" ? "and no longer there" : "requests still end there");
        expect(home.read(name)).not.toContain("gw.example");
        expect((await home.run(["remove", agent, "--yes"])).code).toBe(0);
        expect(home.read(name)).toBe(text);
      }
    },
  );

  test("that Ebb cannot stand in front of is said to be so", async () => {
    home.write(
      ".config/opencode/opencode.json",
      '{ "provider": { "anthropic": { "options": { "baseURL": "{env:GW}" } } } }',
    );
    expect((await home.run(["init", "opencode", "--yes"])).err).toContain("{env:GW}; Ebb cannot stand in front of it");
  });

  test("does not hide another tool server of the name", async () => {
    const text = '{"mcpServers":{"ebb":{"command":"other"}}}';
    home.write(".gemini/settings.json", text);
    expect((await home.run(["init", "gemini", "--yes"])).err).toContain(
      "mcpServers.ebb is set already, to another tool server",
    );
    expect((await home.run(["init", "gemini", "--yes", "--replace"])).code).toBe(0);
    await home.run(["remove", "gemini", "--yes"]);
    expect(home.read(".gemini/settings.json")).toBe(text);
  });
});

describe("what Claude Code's settings say", () => {
  test("of Ebb's plugin counts: its tools are not offered twice", async () => {
    home.write(".claude/settings.json", '{ "enabledPlugins": { "ebb@ebb": true, "x@y": true } }');
    const { out } = await home.run(["init", "claude", "--yes"]);
    expect([out, home.read(".claude.json")]).toEqual([
      expect.stringContaining("The tools come with Ebb's plugin"),
      null,
    ]);
    home.write(".claude/settings.json", '{ "enabledPlugins": { "ebb@ebb": false } }');
    await home.run(["init", "claude", "--yes"]);
    expect(home.read(".claude.json")).toContain("ebb.mjs");
  });

  test("of another provider is told, because it goes past Ebb", async () => {
    home.write(".claude/settings.json", '{ "env": { "CLAUDE_CODE_USE_BEDROCK": "1", "CLAUDE_CODE_USE_VERTEX": "0" } }');
    const { out } = await home.run(["init", "claude", "--yes"]);
    expect(out).toContain("CLAUDE_CODE_USE_BEDROCK is set: Claude Code then goes past Ebb.");
    expect(out).not.toContain("CLAUDE_CODE_USE_VERTEX is set");
  });

  test("of tool search is kept", async () => {
    home.write(".claude/settings.json", '{ "env": { "ENABLE_TOOL_SEARCH": "false" } }');
    await home.run(["init", "claude", "--yes"]);
    const put = JSON.parse(home.read(".claude/settings.json") ?? "");
    expect(put).toEqual({ env: { ANTHROPIC_BASE_URL: URL, ENABLE_TOOL_SEARCH: "false" } });
  });
});

describe("where things lie", () => {
  test.each([
    ["claude", { CLAUDE_CONFIG_DIR: "c" }, ["c/settings.json", "c/.claude.json"]],
    ["opencode", { OPENCODE_CONFIG: "oc.json" }, ["oc.json"]],
    ["opencode", { XDG_CONFIG_HOME: "xdg" }, ["xdg/opencode/opencode.json"]],
    ["pi", { PI_CODING_AGENT_DIR: "p" }, ["p/models.json"]],
  ] as const)("%s: %j", async (agent, env, names) => {
    const absolute = Object.fromEntries(Object.entries(env).map(([key, name]) => [key, home.path(name)]));
    expect((await home.run(["init", agent, "--yes"], { env: absolute })).code).toBe(0);
    for (const name of names) expect(home.read(name)).not.toBeNull();
    expect((await home.run(["remove", agent, "--yes"])).code).toBe(0);
    for (const name of names) expect(home.read(name)).toBeNull();
  });

  test("opencode's file with comments counts where it exists", async () => {
    home.write(".config/opencode/opencode.jsonc", "{ /* c */ }");
    home.write(".config/opencode/opencode.json", "{}");
    await home.run(["init", "opencode", "--yes"]);
    expect([home.read(".config/opencode/opencode.json"), home.read(".config/opencode/opencode.jsonc")]).toEqual([
      "{}",
      expect.stringContaining("baseURL"),
    ]);
  });

  test("with --project the change is one of the working directory", async () => {
    for (const [agent, names] of [
      ["claude", [".claude/settings.local.json", ".mcp.json"]],
      ["opencode", ["opencode.json"]],
      ["gemini", [".gemini/settings.json"]],
    ] as const) {
      expect((await home.run(["init", agent, "--yes", "--project"])).code).toBe(0);
      for (const name of names) expect(home.read(join("project", name))).not.toBeNull();
      const elsewhere = await home.run(["remove", agent, "--yes"]);
      expect([elsewhere.code, elsewhere.err]).toEqual([
        1,
        expect.stringContaining(`there is one in ${home.project}, with --project`),
      ]);
      expect((await home.run(["remove", agent, "--yes", "--project"])).code).toBe(0);
      for (const name of names) expect(home.read(join("project", name))).toBeNull();
    }
    for (const agent of ["codex", "pi"]) expect((await home.run(["init", agent, "--project"])).code).toBe(2);
  });

  test("host, port, folder and file are those of the configuration in force", async () => {
    home.write("project/ebb.yaml", "host: 0.0.0.0\nport: 5151\ndata_folder: data\n");
    await home.run(["init", "claude", "--yes"]);
    expect(home.read(".claude/settings.json")).toContain("http://127.0.0.1:5151");
    const { args } = JSON.parse(home.read(".claude.json") ?? "").mcpServers.ebb;
    const config = ["--config", join(home.project, "ebb.yaml"), "--data-folder", join(home.project, "data")];
    expect(args).toEqual([PROGRAM, "mcp", ...config]);
    expect((await home.run(["init", "claude", "--port", "0"])).code).toBe(2);
    expect((await home.run(["init", "vim"])).code).toBe(2);
  });

  test("another port changes what was put in, and remove still gives back the bytes from before", async () => {
    const text = '{ "theme": "dark" }';
    home.write(".claude/settings.json", text);
    await home.run(["init", "claude", "--yes"]);
    expect((await home.run(["init", "claude", "--yes", "--port", "5151"])).code).toBe(0);
    expect(home.read(".claude/settings.json")).toContain(":5151");
    await home.run(["remove", "claude", "--yes"]);
    expect([home.read(".claude/settings.json"), home.read(".claude.json")]).toEqual([text, null]);
  });
});
