import { join, resolve } from "node:path";
import type { Place } from "../../../config/folders.ts";
import { EbbError } from "../../../lib/ebb-error.ts";
import { type AgentClient, type ClientPlan, type ClientWhere, route, setting, tools } from "../client.ts";
import { jsonSyntax } from "../json-syntax.ts";
import { isMap, valueAt } from "../plain-value.ts";

/** Claude Code: its settings, and the file in which it keeps tool servers and much else. */
export const claudeClient: AgentClient = { name: "claude", title: "Claude Code", noProject: null, planFor };

/** Switched on, these send requests elsewhere whatever the base URL says. */
const OTHER_PROVIDERS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

function planFor(where: ClientWhere): ClientPlan {
  const { own } = where;
  const { settings, servers, lock } = filesOf(where);
  const values = where.valuesOf(settings, jsonSyntax);
  const server = { type: "stdio", command: own.command, args: own.args };
  const base = route(["env", "ANTHROPIC_BASE_URL"], own.url);
  // Claude Code switches tool search off for an address that is not the provider's own.
  const search = setting(["env", "ENABLE_TOOL_SEARCH"], "true");
  const routing = { path: settings, syntax: jsonSyntax, wanted: [search, base], lock: null };
  const toolServer = { path: servers, syntax: jsonSyntax, wanted: [tools(["mcpServers", "ebb"], server)], lock };
  const users = join(folderOf(where.place), "settings.json");
  const isPluginOn = [values, where.valuesOf(users, jsonSyntax)].some(hasPlugin);
  return {
    files: isPluginOn ? [routing] : [routing, toolServer],
    notes: [
      ...(isPluginOn ? ["The tools come with Ebb's plugin, which is on; no second tool server is put in."] : []),
      ...otherProviderNotes(where, values),
      "Sessions that run already go on as they are; start Claude Code anew.",
    ],
  };
}

/** True where Ebb's plugin, from whatever marketplace, is switched on: it brings the tool server. */
function hasPlugin(values: unknown): boolean {
  const plugins = valueAt(values, ["enabledPlugins"]);
  return isMap(plugins) && Object.entries(plugins).some(([name, isOn]) => name.startsWith("ebb@") && isOn === true);
}

interface ClaudeFiles {
  readonly settings: string;
  readonly servers: string;
  readonly lock: string | null;
}

function filesOf({ place, scope, exists }: ClientWhere): ClaudeFiles {
  if (scope.kind === "project") {
    const settings = join(scope.folder, ".claude", "settings.local.json");
    return { settings, servers: join(scope.folder, ".mcp.json"), lock: null };
  }
  const stated = statedFolder(place);
  const folder = folderOf(place);
  const older = join(folder, ".config.json");
  const servers = exists(older) ? older : join(stated ?? place.home, ".claude.json");
  return { settings: join(folder, "settings.json"), servers, lock: `${servers}.lock` };
}

function folderOf(place: Place): string {
  return statedFolder(place) ?? join(place.home, ".claude");
}

/** Throws `input_invalid` for an empty name: Claude Code then reads settings of whatever folder it is started in. */
function statedFolder({ env, cwd }: Place): string | null {
  const { CLAUDE_CONFIG_DIR: stated } = env;
  if (stated === undefined) return null;
  if (stated !== "") return resolve(cwd, stated);
  const words = "CLAUDE_CONFIG_DIR: expected a folder, got an empty name; state one, or unset the variable";
  throw new EbbError("input_invalid", words);
}

function otherProviderNotes(where: ClientWhere, values: unknown): readonly string[] {
  const isOn = (name: string): boolean => {
    const stated = valueAt(values, ["env", name]) ?? where.place.env[name];
    return stated !== undefined && stated !== "" && stated !== "0" && stated !== "false";
  };
  return OTHER_PROVIDERS.filter(isOn).map((name) => `${name} is set: Claude Code then goes past Ebb.`);
}
