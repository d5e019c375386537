import { join } from "node:path";
import { absolutePath } from "../../../config/folders.ts";
import { type AgentClient, type ClientPlan, type ClientWhere, route } from "../client.ts";
import { jsonSyntax } from "../json-syntax.ts";

/** pi: the base URL of its provider `anthropic`. It knows no tool servers. */
export const piClient: AgentClient = {
  name: "pi",
  title: "pi",
  noProject: "pi reads its providers from the user's models.json alone",
  planFor,
};

function planFor({ place, own }: ClientWhere): ClientPlan {
  const stated = place.env.PI_CODING_AGENT_DIR;
  const folder =
    stated === undefined || stated === "" ? join(place.home, ".pi", "agent") : absolutePath(stated, place.cwd, place);
  const base = route(["providers", "anthropic", "baseUrl"], own.url);
  return {
    files: [{ path: join(folder, "models.json"), syntax: jsonSyntax, wanted: [base], lock: null }],
    notes: ["pi knows no tool servers: recall is offered inside the stream."],
  };
}
