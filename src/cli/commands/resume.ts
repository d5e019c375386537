import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { resumeIn } from "../pause-file.ts";
import { durationWords } from "../time-words.ts";

/** `ebb resume`: ends a pause. */
export const resumeCommand: CommandSpec = {
  name: "resume",
  description: "end a pause: decisions are made again from the next request on",
  argument: null,
  flags: [],
  configured: "decide",
  run: resume,
};

async function resume(given: GivenArguments, io: Io): Promise<ExitCode> {
  const { dataFolder } = given.config();
  const since = resumeIn(dataFolder);
  const words =
    since === null
      ? `Not paused: ${dataFolder} holds no pause.`
      : `Resumed after ${durationWords(Date.now() - since)}: decisions are made again from the next request on.`;
  printLine(io, words);
  return 0;
}
