import type { WindowItem } from "../../keeper/window.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { amountWords, countWords } from "../figures.ts";
import { type Io, printLine } from "../io.ts";
import { LOCAL_TENANT, withKeeper } from "../open-keeper.ts";

/** `ebb window`: what a conversation holds, where it stands, why and until when. */
export const windowCommand: CommandSpec = {
  name: "window",
  description: "list what a conversation holds: address, state, size, why and until when",
  argument: null,
  flags: [
    { name: "session", value: "id", description: "the conversation, where several could be meant" },
    { name: "json", value: null, description: "print the list as JSON" },
  ],
  configured: "decide",
  run: runWindow,
};

async function runWindow(given: GivenArguments, io: Io): Promise<ExitCode> {
  const sessionId = given.textOf("session");
  const context = { tenant: LOCAL_TENANT, lineage: null, sessionId, by: "user" as const, atMs: Date.now() };
  const answer = await withKeeper(given.config(), io, ({ keeper }) => keeper.window(context));
  if (!answer.ok) {
    io.err(`ebb: ${answer.failure}: ${answer.words}\n`);
    return 1;
  }
  if (given.isSet("json")) {
    printLine(io, JSON.stringify(answer, null, 2));
    return 0;
  }
  printLine(io, `turn ${answer.turn}, step ${answer.step}, ${amountWords(answer.items.length, "item")}`);
  for (const item of answer.items) printLine(io, lineOf(item));
  return 0;
}

function lineOf({ address, state, bytes, label, words }: WindowItem): string {
  const line = `${address}  ${state.padEnd(8)}  ${countWords(bytes).padStart(11)} bytes  ${label}`;
  return words === "" ? line : `${line}  (${words})`;
}
