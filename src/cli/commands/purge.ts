import type { PurgeSelection } from "../../model/store.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { UsageError } from "../command.ts";
import { amountWords, byteWords } from "../figures.ts";
import { type Io, printLine } from "../io.ts";
import { LOCAL_TENANT, withKeeper } from "../open-keeper.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** `ebb purge`: removes originals for good and leaves tombstones, after asking. */
export const purgeCommand: CommandSpec = {
  name: "purge",
  description: "remove stored originals for good; a recall of them then answers that they were purged",
  argument: null,
  flags: [
    { name: "session", value: "id", description: "what only this session refers to; the id is the client's" },
    { name: "older-than", value: "days", description: "everything last referred to more than so many days ago" },
    { name: "all", value: null, description: "everything" },
    { name: "yes", value: null, description: "do not ask" },
  ],
  configured: "purge",
  run: purge,
};

async function purge(given: GivenArguments, io: Io): Promise<ExitCode> {
  const nowMs = Date.now();
  const selection = selectionOf(given, nowMs);
  const config = given.config();
  if (!given.isSet("yes") && !(await isConfirmed(selection, config.dataFolder, given, io))) {
    printLine(io, "Nothing was removed.");
    return 1;
  }
  const removed = await withKeeper(config, io, ({ keeper }) => keeper.purge(LOCAL_TENANT, selection, nowMs));
  printLine(io, `Removed ${amountWords(removed.originals, "original")}, ${byteWords(removed.bytes)}.`);
  return 0;
}

function selectionOf(given: GivenArguments, nowMs: number): PurgeSelection {
  const sessionId = given.textOf("session");
  const days = given.textOf("older-than");
  const selections: PurgeSelection[] = [];
  if (sessionId !== null) selections.push({ kind: "session", sessionId });
  if (days !== null) selections.push({ kind: "before", atMs: nowMs - daysOf(days) * DAY_MS });
  if (given.isSet("all")) selections.push({ kind: "all" });
  const [selection] = selections;
  if (selection === undefined || selections.length > 1) {
    throw new UsageError("state one of --session ID, --older-than DAYS, --all");
  }
  return selection;
}

function daysOf(text: string): number {
  if (!/^\d{1,5}d?$/.test(text))
    throw new UsageError(`--older-than: expected a whole number of days, got ${JSON.stringify(text)}`);
  return Number.parseInt(text, 10);
}

async function isConfirmed(selection: PurgeSelection, folder: string, given: GivenArguments, io: Io): Promise<boolean> {
  if (!io.isInteractive) throw new UsageError("add --yes to purge without being asked");
  const what = {
    session: `everything of session ${given.textOf("session")}`,
    before: `everything last referred to more than ${given.textOf("older-than")} days ago`,
    all: "everything",
  }[selection.kind];
  const answer = await io.ask(`Remove ${what} from ${folder}? This cannot be undone. [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}
