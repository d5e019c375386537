import { UsageError } from "../command.ts";
import type { AgentClient, AgentName } from "./client.ts";
import { claudeClient } from "./clients/claude.ts";
import { codexClient } from "./clients/codex.ts";
import { geminiClient } from "./clients/gemini.ts";
import { opencodeClient } from "./clients/opencode.ts";
import { piClient } from "./clients/pi.ts";

const CLIENTS: readonly AgentClient[] = [claudeClient, codexClient, opencodeClient, geminiClient, piClient];

/** Names of all agents, for help. */
export const AGENT_NAMES: readonly AgentName[] = CLIENTS.map((client) => client.name);

/** The agent of that name. Throws `UsageError`. */
export function clientNamed(name: string | undefined): AgentClient {
  const found = CLIENTS.find((client) => client.name === name);
  if (found !== undefined) return found;
  throw new UsageError(`expected an agent (${AGENT_NAMES.join(", ")}), got ${JSON.stringify(name ?? "")}`);
}
