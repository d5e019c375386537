import { replayRecording } from "../../replay/replay.ts";
import { releaseLines, type SessionFigures, sessionFigures, totalFigures } from "../../replay/replay-report.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { createLateBar } from "../late-bar.ts";
import { sessionLines } from "../replay-lines.ts";
import { openRecording, replaySettingsOf } from "../replay-settings.ts";

/** `ebb replay`: every recorded request again, through the same keeper, against a simulated provider. */
export const replayCommand: CommandSpec = {
  name: "replay",
  description: "send recorded sessions through Ebb again: what left when and why, and the tokens with and without it",
  argument: { notation: "<files...>", description: "recorded sessions" },
  flags: [{ name: "json", value: null, description: "the figures as data" }],
  configured: "replay",
  run: replay,
};

async function replay(given: GivenArguments, io: Io): Promise<ExitCode> {
  const settings = replaySettingsOf(given.config(), io);
  const isJson = given.isSet("json");
  const sessions: SessionFigures[] = [];
  for (const file of given.positional) {
    const recording = await openRecording(file, settings, io);
    const bar = createLateBar(io.progress, recording.contexts.flatMap((context) => context.requests).length);
    const replayed = await replayRecording(recording, { ...settings, onRequest: () => bar.advance(1) });
    bar.stop();
    const figures = sessionFigures(replayed);
    sessions.push(figures);
    if (isJson) continue;
    const [head = "", ...rows] = sessionLines(figures);
    for (const line of [head, ...releaseLines(replayed).map((one) => `  ${one}`), ...rows]) printLine(io, line);
  }
  if (isJson) printLine(io, JSON.stringify({ sessions, totals: totalFigures(sessions) }, null, 2));
  return sessions.some((session) => session.law_violations > 0) ? 1 : 0;
}
