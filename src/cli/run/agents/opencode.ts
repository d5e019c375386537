import { textAt } from "../../agent-routes/configuration-file.ts";
import type { Agent, ToolServer } from "../agent.ts";
import { objectOf, parseObject } from "../loose-json.ts";
import { PROBE_PROMPT } from "./probe-prompt.ts";
import { ANTHROPIC_DEFAULT_URL, ANTHROPIC_URL, variable } from "./urls.ts";

/** opencode; its provider `anthropic`. */
export const opencode: Agent = {
  name: "opencode",
  title: "opencode",
  api: { name: "Anthropic Messages API" },
  changes: ["only its provider `anthropic` goes through Ebb"],
  version: "/v1",
  probe: ["run", PROBE_PROMPT],
  plainCommands: new Set([
    "agent",
    "attach",
    "auth",
    "completion",
    "db",
    "debug",
    "export",
    "import",
    "mcp",
    "models",
    "plug",
    "plugin",
    "providers",
    "session",
    "stats",
    "uninstall",
    "upgrade",
  ]),
  statedUrl: ({ ask, place }) =>
    textAt(parseObject(ask(["debug", "config"])), "provider", "anthropic", "options", "baseURL") ??
    variable(place.env, ANTHROPIC_URL),
  defaultUrl: () => `${ANTHROPIC_DEFAULT_URL}/v1`,
  obstacle: () => null,
  launchOf: ({ args, place }, { baseUrl, tools }) => ({
    args,
    env: { [CONTENT]: withEbb(variable(place.env, CONTENT) ?? "{}", baseUrl, tools) },
    files: {},
  }),
};

/** Configuration that counts beside all files, and before them. */
const CONTENT = "OPENCODE_CONFIG_CONTENT";

function withEbb(content: string, baseURL: string, tools: ToolServer | null): string {
  const stated = parseObject(content);
  const provider = objectOf(stated.provider);
  const anthropic = objectOf(provider.anthropic);
  const options = { ...objectOf(anthropic.options), baseURL };
  return JSON.stringify({
    ...stated,
    provider: { ...provider, anthropic: { ...anthropic, options } },
    ...(tools === null ? {} : { mcp: { ...objectOf(stated.mcp), ebb: serverOf(tools) } }),
  });
}

function serverOf({ command, args }: ToolServer): object {
  return { type: "local", command: [command, ...args], enabled: true };
}
