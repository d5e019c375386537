import { join, resolve } from "node:path";
import { absolutePath } from "../../../config/folders.ts";
import { type AgentClient, type ClientPlan, type ClientWhere, route, setting, tools } from "../client.ts";
import { jsonSyntax } from "../json-syntax.ts";

/** opencode: the base URL of its provider `anthropic`, and a tool server. */
export const opencodeClient: AgentClient = { name: "opencode", title: "opencode", noProject: null, planFor };

const SCHEMA = "https://opencode.ai/config.json";
const SUFFIX = "/v1";

function planFor(where: ClientWhere): ClientPlan {
  const { own } = where;
  const path = fileOf(where);
  const server = { type: "local", command: [own.command, ...own.args], enabled: true };
  // opencode writes the schema into a file that has none.
  const schema = where.exists(path) ? [] : [setting(["$schema"], SCHEMA)];
  const base = route(["provider", "anthropic", "options", "baseURL"], `${own.url}${SUFFIX}`, SUFFIX);
  return {
    files: [{ path, syntax: jsonSyntax, wanted: [tools(["mcp", "ebb"], server), base, ...schema], lock: null }],
    notes: [],
  };
}

/** Of the two names the one that counts more where it exists. */
function fileOf({ place, scope, exists }: ClientWhere): string {
  const stated = place.env.OPENCODE_CONFIG;
  if (scope.kind === "user" && stated !== undefined && stated !== "") return absolutePath(stated, place.cwd, place);
  const xdg = place.env.XDG_CONFIG_HOME ?? "";
  const parent = xdg === "" ? join(place.home, ".config") : resolve(place.cwd, xdg);
  const folder = scope.kind === "project" ? scope.folder : join(parent, "opencode");
  const commented = join(folder, "opencode.jsonc");
  return exists(commented) ? commented : join(folder, "opencode.json");
}
