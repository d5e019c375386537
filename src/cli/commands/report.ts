import { type ReportFormat, renderReport } from "../../engine/report-format.ts";
import { type CommandSpec, type ExitCode, type GivenArguments, UsageError } from "../command.ts";
import { CONVERSATION_FLAGS, conversationOf, refusalLine } from "../conversation.ts";
import { type Io, printLine } from "../io.ts";
import { withKeeper } from "../open-keeper.ts";

const SCOPE_PREFIX = "tmp_";

/** `ebb report`: what a working set or a conversation acquired, what left, and what changed meanwhile. */
export const reportCommand: CommandSpec = {
  name: "report",
  description:
    "tell what a scope or a session acquired, what left, and what changed, with diffs from the recorded edits",
  argument: {
    notation: "[scope-or-session]",
    description: "a scope (tmp_…), open or closed, or a session id; left out: the only session there is",
  },
  flags: [
    { name: "format", value: "name", description: "text, json or markdown; text where nothing is stated" },
    ...CONVERSATION_FLAGS,
  ],
  configured: "decide",
  run: runReport,
};

async function runReport(given: GivenArguments, io: Io): Promise<ExitCode> {
  const [named = null] = given.positional;
  const format = formatOf(given.textOf("format"));
  const scope = named?.startsWith(SCOPE_PREFIX) === true ? named : null;
  const sessionId = given.textOf("session") ?? (scope === null ? named : null);
  if (scope === null && named !== null && sessionId !== named) {
    throw new UsageError("--session names the conversation of a scope; the session is named already");
  }
  const answer = await withKeeper(given.config(), io, async ({ keeper }) =>
    keeper.report({ scope }, { ...(await conversationOf(given, keeper, sessionId)), by: "user", atMs: Date.now() }),
  );
  if (!answer.ok) {
    io.err(refusalLine(answer));
    return 1;
  }
  printLine(io, renderReport(answer.report, format).trimEnd());
  return 0;
}

function formatOf(name: string | null): ReportFormat {
  if (name === null || name === "text") return "text";
  if (name === "json" || name === "markdown") return name;
  throw new UsageError(`--format: expected text, json or markdown, got ${JSON.stringify(name)}`);
}
