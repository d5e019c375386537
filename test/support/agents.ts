import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientName, type ClientResult, ensureClient, runClient } from "./clients.ts";

/** Where an agent runs and whom it talks to. */
export interface AgentPlace {
  readonly url: string;
  readonly home: string;
  readonly workingFolder: string;
}

export interface AgentTask {
  readonly prompt: string;
  readonly model: string;
  /** Goes on with the conversation before instead of opening one. */
  readonly isContinued: boolean;
  readonly withThinking: boolean;
  /** Client configuration with a tool server; null for none. Claude Code only. */
  readonly toolServerConfig: string | null;
  /** API that pi speaks; left out: the Messages API. */
  readonly api?: PiApi;
}

/** APIs that pi speaks, by its own names. */
export type PiApi = keyof typeof PI_PATHS;

/** What stands behind an origin in the base URL of each. */
const PI_PATHS = {
  "anthropic-messages": "",
  "openai-completions": "/v1",
  "openai-responses": "/v1",
  "google-generative-ai": "/v1beta",
} as const;

const TIMEOUT_MS = 180_000;

/** Gives one task to an agent without a terminal and waits for its end. */
export async function runAgent(name: ClientName, place: AgentPlace, task: AgentTask): Promise<ClientResult> {
  const client = await ensureClient(name);
  const { home, workingFolder } = place;
  const { args, env } = name === "pi" ? piCall(place, task) : claudeCall(place, task);
  return runClient({ client, args, env, home, workingFolder, timeoutMs: TIMEOUT_MS });
}

interface AgentCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function claudeCall(place: AgentPlace, task: AgentTask): AgentCall {
  const args = ["-p", task.prompt, "--model", task.model, "--dangerously-skip-permissions"];
  if (task.isContinued) args.push("--continue");
  if (task.toolServerConfig !== null) args.push("--strict-mcp-config", "--mcp-config", task.toolServerConfig);
  return {
    args,
    env: {
      ANTHROPIC_BASE_URL: place.url,
      ANTHROPIC_API_KEY: "not-a-key",
      MAX_MCP_OUTPUT_TOKENS: "1000000",
      MAX_THINKING_TOKENS: task.withThinking ? "4000" : "0",
    },
  };
}

function piCall(place: AgentPlace, task: AgentTask): AgentCall {
  const folder = join(place.home, ".pi", "agent");
  mkdirSync(folder, { recursive: true });
  const model = { id: task.model, reasoning: true, contextWindow: 200_000, maxTokens: 16_000 };
  const api = task.api ?? "anthropic-messages";
  const provider = { baseUrl: place.url + PI_PATHS[api], api, apiKey: "not-a-key", models: [model] };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { simulated: provider } }));
  const args = ["-p", "--provider", "simulated", "--model", task.model];
  args.push("--thinking", task.withThinking ? "low" : "off");
  if (task.isContinued) args.push("--continue");
  return { args: [...args, task.prompt], env: {} };
}
