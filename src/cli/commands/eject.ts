import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { UsageError } from "../command.ts";
import { ejectLines, waysOf } from "../eject-lines.ts";
import { type Io, printLine } from "../io.ts";
import { LOCAL_TENANT, withKeeper } from "../open-keeper.ts";

/** `ebb eject`: what leaving a session costs, and how to leave it safely. */
export const ejectCommand: CommandSpec = {
  name: "eject",
  description: "say what it costs to go on without Ebb in a session, and how to leave it safely; changes nothing",
  argument: { notation: "[session]", description: "session id, or lineage" },
  flags: [
    { name: "last", value: null, description: "the conversation used last" },
    { name: "json", value: null, description: "print it as JSON" },
  ],
  configured: "decide",
  run: eject,
};

async function eject(given: GivenArguments, io: Io): Promise<ExitCode> {
  const [name = null] = given.positional;
  if ((name === null) !== given.isSet("last")) throw new UsageError("expected a session id, or --last");
  const query = { tenant: LOCAL_TENANT, name, atMs: Date.now() };
  const answer = await withKeeper(given.config(), io, ({ keeper }) => keeper.eject(query));
  if (!answer.ok) {
    io.err(`ebb: ${answer.failure}: ${answer.words}\n`);
    return 1;
  }
  if (given.isSet("json")) {
    const { ok: _, ...told } = answer;
    printLine(io, JSON.stringify({ ...told, ways: waysOf(answer) }, null, 2));
    return 0;
  }
  for (const line of ejectLines(answer)) printLine(io, line);
  return 0;
}
