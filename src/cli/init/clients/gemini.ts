import { join } from "node:path";
import { type AgentClient, type ClientPlan, type ClientWhere, tools } from "../client.ts";
import { jsonSyntax } from "../json-syntax.ts";

/** Gemini CLI: a tool server. Its base URL is a variable and in no file of settings. */
export const geminiClient: AgentClient = { name: "gemini", title: "Gemini CLI", noProject: null, planFor };

function planFor({ place, scope, own }: ClientWhere): ClientPlan {
  const parent = scope.kind === "project" ? scope.folder : place.home;
  const server = { command: own.command, args: own.args };
  const path = join(parent, ".gemini", "settings.json");
  return {
    files: [{ path, syntax: jsonSyntax, wanted: [tools(["mcpServers", "ebb"], server)], lock: null }],
    notes: [
      `The base URL of Gemini CLI is the variable GOOGLE_GEMINI_BASE_URL, in the shell or in ~/.gemini/.env; it is left alone. Set it to ${own.url}/gemini, and log in with a Gemini API key.`,
    ],
  };
}
