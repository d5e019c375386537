import type { Place } from "../../../config/folders.ts";
import { codex as codexRoute, ownProviderOf } from "../../agent-routes/codex.ts";
import type { Agent, AgentCall } from "../agent.ts";
import { orNothing } from "../loose-json.ts";
import { statedUrlOf } from "../stated-route.ts";

/** Codex; the provider that its configuration chooses. */
export const codex: Agent = {
  name: "codex",
  title: "Codex",
  api: { name: "OpenAI Responses API" },
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
  statedUrl: ({ place }) => statedUrlOf(codexRoute, place),
  defaultUrl: ({ ask }) => (/chatgpt/i.test(ask(["login", "status"])) ? CHATGPT_URL : API_URL),
  obstacle: ({ place }) => obstacleAt(place),
  launchOf: (call, { baseUrl, tools }) => ({
    args: [
      ...override(baseUrlKey(call), baseUrl),
      ...(tools === null ? [] : override("mcp_servers.ebb.command", tools.command)),
      ...(tools === null ? [] : override("mcp_servers.ebb.args", tools.args)),
      ...call.args,
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

/** Key of the base URL that is in use: the built-in provider's, or that of the one which the configuration chooses. */
function baseUrlKey({ place }: AgentCall): string {
  const provider = orNothing(() => ownProviderOf(place));
  return provider === null ? "openai_base_url" : `model_providers.${provider}.base_url`;
}

/** An override names a provider in a dotted key, and one without an address has nothing to stand in front of. */
function obstacleAt(place: Place): string | null {
  const provider = orNothing(() => ownProviderOf(place));
  if (provider === null) return null;
  const isNamed = /^[\w-]+$/.test(provider) && statedUrlOf(codexRoute, place) !== null;
  return isNamed ? null : `its provider ${JSON.stringify(provider)} states no address that could be replaced`;
}
