import { inspectLines } from "../../replay/inspect.ts";
import { replayRecording } from "../../replay/replay.ts";
import { type CommandSpec, type ExitCode, type GivenArguments, UsageError } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { openRecording, replaySettingsOf } from "../replay-settings.ts";

/** `ebb inspect`: one recorded request's plan, one line an item. */
export const inspectCommand: CommandSpec = {
  name: "inspect",
  description: "show the plan of one recorded request, one line an item",
  argument: { notation: "<file>", description: "a recorded session" },
  flags: [{ name: "request", value: "number", description: "which request of the file, from 1 (required)" }],
  configured: "inspect",
  run: inspect,
};

async function inspect(given: GivenArguments, io: Io): Promise<ExitCode> {
  const number = requestNumber(given.textOf("request"));
  const settings = replaySettingsOf(given.config(), io);
  const recording = await openRecording(given.positional[0] ?? "", settings, io);
  const { requests } = await replayRecording(recording, settings, { last: number });
  const request = requests.find((one) => one.number === number);
  if (request === undefined) {
    io.err(`ebb: --request: expected a number from 1 to ${requests.length}, got ${number}\n`);
    return 1;
  }
  for (const line of inspectLines(request)) printLine(io, line);
  return 0;
}

function requestNumber(text: string | null): number {
  if (text !== null && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  const got = text === null ? "nothing" : JSON.stringify(text);
  throw new UsageError(`--request: expected a whole number from 1, got ${got}`);
}
