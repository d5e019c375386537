import { join, resolve } from "node:path";
import { anthropicProvider } from "../../../providers/anthropic.ts";
import { type AgentClient, type ClientPlan, type ClientWhere, route, tools, type Wanted } from "../client.ts";
import { jsonSyntax } from "../json-syntax.ts";
import { valueAt } from "../plain-value.ts";
import { tomlSyntax } from "../toml-syntax.ts";

/** Codex: a tool server, and the base URL of the provider it uses. */
export const codexClient: AgentClient = {
  name: "codex",
  title: "Codex",
  noProject: "Codex reads providers from the user's config.toml alone",
  planFor,
};

const BUILT_IN = "openai";

function planFor(where: ClientWhere): ClientPlan {
  const { place, own } = where;
  const stated = place.env.CODEX_HOME;
  const folder = stated === undefined || stated === "" ? join(place.home, ".codex") : resolve(place.cwd, stated);
  const path = join(folder, "config.toml");
  const server = tools(["mcp_servers", "ebb"], { command: own.command, args: own.args });
  const base = baseOf(where, path, join(folder, "auth.json"));
  const notes =
    base === null ? ["Codex is not routed: name its provider's address as `upstream`, or route it by hand."] : [];
  return {
    files: [{ path, syntax: tomlSyntax, wanted: base === null ? [server] : [base, server], lock: null }],
    notes,
  };
}

/** The address of the provider in use: keys and headers that stand beside it go on working. */
function baseOf(where: ClientWhere, path: string, authPath: string): Wanted | null {
  const values = where.valuesOf(path, tomlSyntax);
  const provider = valueAt(values, ["model_provider"]);
  const isOwn = typeof provider === "string" && provider !== BUILT_IN;
  if (where.upstream === anthropicProvider.originDefault) {
    if (isOwn) return null;
    const suffix = isOfChatgpt(where.valuesOf(authPath, jsonSyntax)) ? "/chatgpt" : "/openai/v1";
    return route(["openai_base_url"], `${where.own.url}${suffix}`, suffix);
  }
  const suffix = new URL(where.upstream).pathname === "/" ? "/v1" : "";
  const key = isOwn ? ["model_providers", provider, "base_url"] : ["openai_base_url"];
  if (isOwn && valueAt(values, key) === undefined) return null;
  return route(key, `${where.own.url}${suffix}`, suffix);
}

/** Logged in with an account and no key of the API. */
function isOfChatgpt(auth: unknown): boolean {
  const tokens = valueAt(auth, ["tokens"]);
  return typeof tokens === "object" && tokens !== null && typeof valueAt(auth, ["OPENAI_API_KEY"]) !== "string";
}
