import type { WindowAnswer, WindowItem } from "../../keeper/window.ts";
import { oneLine } from "../../lib/visible.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { amountWords, countWords } from "../figures.ts";
import { type Io, printLine } from "../io.ts";
import { LOCAL_TENANT, withKeeper } from "../open-keeper.ts";
import { timeWords } from "../time-words.ts";

/** `ebb window`: what a conversation holds, where it stands, why and until when; its bound paths and open scopes. */
export const windowCommand: CommandSpec = {
  name: "window",
  description:
    "list what a conversation holds: address, state, size, why and until when; what waits, bound paths, open scopes",
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
  for (const line of linesOf(answer)) printLine(io, line);
  return 0;
}

function linesOf({
  turn,
  step,
  items,
  paths,
  scopes,
  guarded,
  gone,
}: Extract<WindowAnswer, { ok: true }>): readonly string[] {
  const rest = gone === 0 ? "" : `; ${amountWords(gone, "item")} no longer in it, but still recalled by address`;
  return [
    `turn ${turn}, step ${step}, ${amountWords(items.length, "item")}${rest}`,
    ...(guarded === null ? [] : [`net guard since ${timeWords(guarded.atMs)}, turn ${guarded.turn}: ${GUARDED_WORDS}`]),
    ...items.map(lineOf),
    ...paths.map(({ path, kind, until, reason }) => `path ${oneLine(path)}  ${oneLine(`${kind} ${until}: ${reason}`)}`),
    ...scopes.map((scope) => {
      const held = scope.addresses.length === 0 ? "nothing yet" : scope.addresses.join(", ");
      const since = `open since turn ${scope.turn}, step ${scope.step}: ${scope.reason} (${held})`;
      return `scope ${oneLine(scope.name)}  ${oneLine(since)}`;
    }),
  ];
}

const GUARDED_WORDS = "Ebb cost more here than it saved over 50 requests, so nothing new leaves by rule";

function lineOf({ address, state, bytes, label, words }: WindowItem): string {
  const line = `${address}  ${state.padEnd(8)}  ${countWords(bytes).padStart(11)} bytes  ${oneLine(label)}`;
  return words === "" ? line : `${line}  (${words})`;
}
