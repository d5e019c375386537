import { type CommandSpec, type GivenArguments, UsageError } from "../command.ts";
import type { Io } from "../io.ts";
import { anyCommand } from "../run/agents/any-command.ts";
import { AGENTS, agentOf } from "../run/agents.ts";
import { checkAgent } from "../run/check-agent.ts";
import { type RunOrder, runAgent } from "../run/run-agent.ts";

const NAMES = AGENTS.map(({ name }) => name).join(", ");

/** `ebb run`: an agent with Ebb between it and its provider, for this one process. */
export const runCommand: CommandSpec = {
  name: "run",
  description: "start an agent with Ebb between it and its provider, and say at its end what that did",
  argument: {
    notation: "[command...]",
    description: `${NAMES}, or any command behind --; whatever follows the name is its own`,
  },
  passesOn: true,
  flags: [
    { name: "observe", value: null, description: "act on nothing, and end with what would have been released" },
    { name: "fresh", value: null, description: "start a proxy although one runs that would do" },
    { name: "quiet", value: null, description: "say nothing before the agent starts" },
    {
      name: "check",
      value: null,
      description: "compare the agent's first request with and without Ebb, on this machine",
    },
  ],
  configured: "run",
  run,
};

async function run(given: GivenArguments, io: Io): Promise<number> {
  const order = orderOf(given);
  return given.isSet("check") ? checkAgent(order, io) : runAgent(order, io);
}

function orderOf(given: GivenArguments): RunOrder {
  const [program, ...args] = given.positional;
  if (program === undefined) throw new UsageError(`expected an agent (${NAMES}), or a command behind --`);
  const config = given.config();
  return {
    agent: given.isBehindDashes ? anyCommand : agentOf(program),
    program,
    args,
    config: given.isSet("observe") ? { ...config, mode: "observe" } : config,
    isFresh: given.isSet("fresh"),
    isQuiet: given.isSet("quiet"),
  };
}
