import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { UsageError } from "../command.ts";
import { carryOutInit } from "../init/carry-out.ts";
import type { AgentClient, Scope } from "../init/client.ts";
import { clientNamed } from "../init/clients.ts";
import { planInit } from "../init/init-plan.ts";
import { ownSideOf } from "../init/own-side.ts";
import { readRecords } from "../init/record.ts";
import { isAgreed, printDiffs } from "../init/shown.ts";
import { type Io, printLine } from "../io.ts";

/** `ebb init`: points an agent at the proxy and its tools, in its own configuration, after showing how. */
export const initCommand: CommandSpec = {
  name: "init",
  description: "point an agent at Ebb in its own configuration file; shows the change and asks first",
  argument: { notation: "<agent>", description: "claude, codex, opencode, gemini or pi" },
  flags: [
    { name: "project", value: null, description: "in the working directory alone, not for the user" },
    { name: "dry-run", value: null, description: "print the change, and do nothing" },
    { name: "replace", value: null, description: "exchange a base URL or a tool server that is set already" },
    { name: "yes", value: null, description: "do not ask" },
  ],
  configured: "init",
  run: runInit,
};

async function runInit(given: GivenArguments, io: Io): Promise<ExitCode> {
  const client = clientNamed(given.positional[0]);
  const scope = scopeOf(client, given.isSet("project"), io);
  const config = given.config();
  const { dataFolder, upstream } = config;
  const own = ownSideOf(config, io.place);
  const rules = { upstream, replaces: given.isSet("replace") };
  const where = { place: io.place, scope, own, upstream };
  const plan = planInit({ client, where, rules, dataFolder, records: readRecords(dataFolder) });
  if (plan.refusals.length > 0) {
    for (const line of plan.refusals) io.err(`ebb: ${line}\n`);
    io.err("ebb: nothing was written\n");
    return 1;
  }
  if (plan.exchanges.length === 0) {
    if (!given.isSet("dry-run")) printLine(io, `${client.title} is set up already: nothing to change.`);
    return 0;
  }
  printDiffs(plan.exchanges, io);
  if (given.isSet("dry-run")) return 0;
  const start = plan.isRouted ? [`Start \`ebb proxy\` before ${client.title}: ${own.url} must answer.`] : [];
  for (const line of ["", ...plan.notes, ...start]) printLine(io, line);
  if (!(await isAgreed("Write this?", given.isSet("yes"), io))) return 1;
  carryOutInit(plan, dataFolder);
  printLine(
    io,
    `Written. \`ebb remove ${client.name}${scope.kind === "project" ? " --project" : ""}\` takes it out again.`,
  );
  return 0;
}

/** Where `--project` points, for an agent that has a file there. Throws `UsageError`. */
export function scopeOf(client: AgentClient, isProject: boolean, io: Io): Scope {
  if (!isProject) return { kind: "user" };
  if (client.noProject !== null) throw new UsageError(`--project: ${client.noProject}`);
  return { kind: "project", folder: io.place.cwd };
}
