import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { ensureDataFolder } from "../data-folder.ts";
import { type Io, printLine } from "../io.ts";
import { pauseIn } from "../pause-file.ts";
import { timeWords } from "../time-words.ts";

/** `ebb pause`: no new decisions in any proxy of the data folder, until `ebb resume`. */
export const pauseCommand: CommandSpec = {
  name: "pause",
  description: "decide nothing new until `ebb resume`, in every proxy of the data folder; what was sent is repeated",
  argument: null,
  flags: [],
  configured: "decide",
  run: pause,
};

async function pause(given: GivenArguments, io: Io): Promise<ExitCode> {
  const { dataFolder } = given.config();
  ensureDataFolder(dataFolder);
  const { sinceMs, wasPaused } = pauseIn(dataFolder, Date.now());
  if (wasPaused) {
    printLine(io, `Paused already, since ${timeWords(sinceMs)}. End it with: ebb resume`);
    return 0;
  }
  printLine(io, "Paused, from the next request on: nothing new leaves, and what left stays behind its marker.");
  printLine(io, `This holds for every proxy of ${dataFolder}, those started later too, until: ebb resume`);
  printLine(io, "Recall goes on. What you or an agent decide meanwhile is recorded and acts after the pause.");
  return 0;
}
