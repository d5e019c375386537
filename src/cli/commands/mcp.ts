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
  flags: [],
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
    onFault: (fault: unknown) => io.err(`ebb: ${wordsOf(fault)}\n`),
  };
  await serveTools(server, io.untilStopped());
  return 0;
}
