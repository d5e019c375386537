import type { WindowAnswer, WindowItem, WindowScope } from "../../keeper/window.ts";
import { oneLine } from "../../lib/visible.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { CONVERSATION_FLAGS, conversationOf, refusalLine } from "../conversation.ts";
import { amountWords, countWords } from "../figures.ts";
import { type Io, printLine } from "../io.ts";
import { withKeeper } from "../open-keeper.ts";
import { timeWords } from "../time-words.ts";

/** `ebb window`: what a conversation holds, where it stands, why and until when; its bound paths and open scopes. */
export const windowCommand: CommandSpec = {
  name: "window",
  description:
    "list what a conversation holds: address, state, size, why and until when; what waits, bound paths, open scopes",
  argument: null,
  flags: [...CONVERSATION_FLAGS, { name: "json", value: null, description: "print the list as JSON" }],
  configured: "decide",
  run: runWindow,
};

async function runWindow(given: GivenArguments, io: Io): Promise<ExitCode> {
  const answer = await withKeeper(given.config(), io, async ({ keeper }) =>
    keeper.window({ ...(await conversationOf(given, keeper)), by: "user", atMs: Date.now() }),
  );
  if (!answer.ok) {
    io.err(refusalLine(answer));
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
      const since = `open since turn ${scope.turn}, step ${scope.step}: ${scope.reason} (${setWords(scope, items)})`;
      return `scope ${oneLine(scope.name)}  ${oneLine(since)}`;
    }),
  ];
}

/** What a scope holds by name, and what was acquired after it was opened, which belongs to it too. */
function setWords({ addresses, step }: WindowScope, items: readonly WindowItem[]): string {
  const acquired = items.filter((item) => item.step > step && !addresses.includes(item.address)).length;
  const parts = [...addresses, ...(acquired === 0 ? [] : [`${amountWords(acquired, "item")} acquired since`])];
  return parts.length === 0 ? "nothing yet" : parts.join(", ");
}

const GUARDED_WORDS = "Ebb cost more here than it saved over 50 requests, so nothing new leaves by rule";

function lineOf({ address, state, bytes, label, words }: WindowItem): string {
  const line = `${address}  ${state.padEnd(8)}  ${countWords(bytes).padStart(11)} bytes  ${oneLine(label)}`;
  return words === "" ? line : `${line}  (${words})`;
}
