import { wordsOf } from "../../keeper/error-words.ts";
import { serveTools } from "../../mcp/server.ts";
import { createStoreDoor } from "../../mcp/store-door.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import type { Io } from "../io.ts";
import { LOCAL_TENANT, openKeeper, PATIENT_TIMEOUT_MS } from "../open-keeper.ts";
import { packageVersion } from "../version.ts";

/** `ebb mcp`: the tools of an agent, on standard input and output, until the client ends them. */
export const mcpCommand: CommandSpec = {
  name: "mcp",
  description: "be a tool server (MCP) on standard input and output: recall, hold, release, window",
  argument: null,
  flags: [
    {
      name: "spare",
      value: null,
      description: "list no tools where `ebb run` started the agent, which gives it a server of its own",
    },
  ],
  configured: "mcp",
  run: runMcp,
};

async function runMcp(given: GivenArguments, io: Io): Promise<ExitCode> {
  const config = given.config();
  const onError = (code: string, words: string): void => io.err(`ebb: ${words} (${code})\n`);
  const door = createStoreDoor(() => openKeeper(config, onError, PATIENT_TIMEOUT_MS));
  const server = {
    input: process.stdin,
    output: process.stdout,
    door,
    tenant: LOCAL_TENANT,
    version: packageVersion(),
    nowMs: Date.now,
    isSpare: given.isSet("spare") && isOfRun(io.place.env.ANTHROPIC_BASE_URL),
    onFault: (fault: unknown) => io.err(`ebb: ${wordsOf(fault)}\n`),
  };
  await serveTools(server, io.untilStopped());
  return 0;
}

/** `ebb run` gives its agent an address with the run's name behind it. */
function isOfRun(baseUrl: string | undefined): boolean {
  return baseUrl !== undefined && RUN_ADDRESS.test(baseUrl);
}

const RUN_ADDRESS = /^http:\/\/[^/]+\/run\/[A-Za-z0-9_-]{8,64}\/?$/;
