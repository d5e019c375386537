import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, AgentCall } from "../agent.ts";
import { variable } from "./urls.ts";

/** Codex; its provider `openai`. */
export const codex: Agent = {
  name: "codex",
  title: "Codex",
  api: { name: "OpenAI Responses API", isRead: false },
  changes: ["it asks for a WebSocket first, is refused, and goes on with HTTP"],
  version: "/v1",
  probe: null,
  plainCommands: new Set([
    "app-server",
    "apply",
    "archive",
    "cloud",
    "completion",
    "debug",
    "delete",
    "doctor",
    "exec-server",
    "features",
    "help",
    "login",
    "logout",
    "mcp",
    "migrate-nfs-db",
    "migrate-rollouts",
    "plugin",
    "sandbox",
    "unarchive",
    "update",
  ]),
  statedUrl: (call) => configuredUrl(call) ?? variable(call.place.env, "OPENAI_BASE_URL"),
  defaultUrl: ({ ask }) => (/chatgpt/i.test(ask(["login", "status"])) ? CHATGPT_URL : API_URL),
  obstacle: () => null,
  launchOf: ({ args }, { baseUrl, tools }) => ({
    args: [
      ...override("openai_base_url", baseUrl),
      ...(tools === null ? [] : override("mcp_servers.ebb.command", tools.command)),
      ...(tools === null ? [] : override("mcp_servers.ebb.args", tools.args)),
      ...args,
    ],
    env: {},
    files: {},
  }),
};

const API_URL = "https://api.openai.com/v1";
const CHATGPT_URL = "https://chatgpt.com/backend-api/codex";

/** A text, or a list of them, is the same in JSON and in TOML. */
function override(key: string, value: string | readonly string[]): readonly string[] {
  return ["-c", `${key}=${JSON.stringify(value)}`];
}

function configuredUrl({ place }: AgentCall): string | null {
  const folder = variable(place.env, "CODEX_HOME") ?? join(place.home, ".codex");
  try {
    const text = readFileSync(join(folder, "config.toml"), "utf8");
    return /^openai_base_url\s*=\s*["']([^"'\n]+)["']/m.exec(text)?.[1] ?? null;
  } catch {
    return null;
  }
}
