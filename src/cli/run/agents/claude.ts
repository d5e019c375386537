import type { Place } from "../../../config/folders.ts";
import { claude as claudeRoute, isManaged } from "../../agent-routes/claude.ts";
import type { Agent, ToolServer } from "../agent.ts";
import { routeWithout, statedUrlOf } from "../stated-route.ts";
import { PROBE_PROMPT } from "./probe-prompt.ts";
import { ANTHROPIC_DEFAULT_URL, ANTHROPIC_URL, variable } from "./urls.ts";

/** Claude Code. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  api: { name: "Anthropic Messages API" },
  changes: [
    "tool search is off by default; here it is on (ENABLE_TOOL_SEARCH)",
    "tool input is not streamed early",
    "its own notes in mid-conversation are not marked for the cache",
    "some versions were seen with a smaller window",
  ],
  version: "",
  probe: ["-p", PROBE_PROMPT],
  plainCommands: new Set([
    "agents",
    "auth",
    "config",
    "doctor",
    "install",
    "mcp",
    "migrate-installer",
    "plugin",
    "plugins",
    "setup-token",
    "update",
    "upgrade",
  ]),
  statedUrl: ({ place }) => statedUrlOf(claudeRoute, place),
  defaultUrl: () => ANTHROPIC_DEFAULT_URL,
  obstacle: ({ place }) => obstacleAt(place),
  launchOf({ args, place }, { baseUrl, tools }) {
    const offered = args.includes("--strict-mcp-config") ? null : tools;
    const isSearchStated = tools === null || variable(place.env, TOOL_SEARCH) !== null;
    return {
      // In front: behind a prompt, or behind `--`, they would be part of it.
      args: [...(offered === null ? [] : [toolArgument(offered)]), ...settingsArgument(place, baseUrl), ...args],
      env: { [ANTHROPIC_URL]: baseUrl, ...(isSearchStated ? {} : { [TOOL_SEARCH]: "true" }) },
      files: {},
    };
  },
};

const TOOL_SEARCH = "ENABLE_TOOL_SEARCH";

/** In one word, because the flag takes every word that follows it. */
function toolArgument({ command, args }: ToolServer): string {
  return `--mcp-config=${JSON.stringify({ mcpServers: { ebb: { command, args } } })}`;
}

/** What the client's settings state for its environment is stronger than the environment itself. */
function settingsArgument(place: Place, baseUrl: string): readonly string[] {
  const route = routeWithout(claudeRoute, place);
  if (route.kind !== "stated" || route.from === ANTHROPIC_URL) return [];
  return [`--settings=${JSON.stringify({ env: { [ANTHROPIC_URL]: baseUrl } })}`];
}

function obstacleAt(place: Place): string | null {
  const route = routeWithout(claudeRoute, place);
  if (route.kind === "service") return `${route.from} sends it to ${route.service}, whatever its base URL is`;
  return route.kind === "stated" && isManaged(route.from)
    ? `its base URL is set in ${route.from}, which is stronger than anything that can be set for one process`
    : null;
}
