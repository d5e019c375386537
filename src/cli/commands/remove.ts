import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { carryOutRemove } from "../init/carry-out.ts";
import type { AgentClient, Scope } from "../init/client.ts";
import { clientNamed } from "../init/clients.ts";
import { pathsOf } from "../init/init-plan.ts";
import { type InitRecord, readRecords, recordOf } from "../init/record.ts";
import { planRemove } from "../init/remove-plan.ts";
import { settledRecord } from "../init/settled-record.ts";
import { isAgreed, printDiffs } from "../init/shown.ts";
import { type Io, printLine } from "../io.ts";
import { scopeOf } from "./init.ts";

/** `ebb remove`: takes out of an agent's configuration what `ebb init` put in, and nothing else. */
export const removeCommand: CommandSpec = {
  name: "remove",
  description: "take out of an agent's configuration file what `ebb init` put in; shows the change and asks first",
  argument: { notation: "<agent>", description: "claude, codex, opencode, gemini or pi" },
  flags: [
    { name: "project", value: null, description: "in the working directory, not for the user" },
    { name: "dry-run", value: null, description: "print the change, and do nothing" },
    { name: "force", value: null, description: "take out also what was changed since" },
    { name: "yes", value: null, description: "do not ask" },
  ],
  configured: "remove",
  run: runRemove,
};

async function runRemove(given: GivenArguments, io: Io): Promise<ExitCode> {
  const client = clientNamed(given.positional[0]);
  const scope = scopeOf(client, given.isSet("project"), io);
  const { dataFolder, upstream } = given.config();
  const record = recordFor(client, { place: io.place, scope, upstream }, dataFolder, io);
  if (record === null) return 1;
  const plan = planRemove(settledRecord(record, dataFolder), dataFolder, given.isSet("force"));
  printDiffs(plan.exchanges, io);
  if (given.isSet("dry-run")) return 0;
  for (const line of plan.words) io.err(`ebb: ${line}; --force takes it out too\n`);
  if (plan.exchanges.length > 0 && !(await isAgreed("Write this?", given.isSet("yes"), io))) return 1;
  carryOutRemove(plan, record, dataFolder);
  if (plan.rest !== null) return 1;
  const isGone = plan.exchanges.length === 0;
  printLine(
    io,
    isGone
      ? `Nothing of Ebb's was left in the files of ${client.title}.`
      : `Written. ${client.title} no longer goes through Ebb.`,
  );
  return 0;
}

/** The one there is; of several, that of the files which the agent uses here. */
function recordFor(
  client: AgentClient,
  where: Parameters<typeof pathsOf>[1],
  dataFolder: string,
  io: Io,
): InitRecord | null {
  const { scope } = where;
  const all = readRecords(dataFolder).filter((one) => one.agent === client.name);
  const fitting = all.filter((one) => isSameScope(one.scope, scope));
  const found = fitting.length === 1 ? fitting[0] : recordOf(fitting, client.name, scope, pathsOf(client, where));
  if (found !== undefined && found !== null) return found;
  const place = scope.kind === "project" ? ` in ${scope.folder}` : "";
  io.err(`ebb: no \`ebb init ${client.name}\`${place} is on record in ${dataFolder}\n`);
  for (const { scope: other, files } of all) {
    const words =
      other.kind === "project"
        ? `in ${other.folder}, with --project`
        : `of ${files.map((file) => file.path).join(", ")}`;
    io.err(`ebb: there is one ${words}\n`);
  }
  return null;
}

function isSameScope(one: Scope, other: Scope): boolean {
  if (one.kind === "project") return other.kind === "project" && one.folder === other.folder;
  return other.kind === "user";
}
