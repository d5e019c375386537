import { flagOf, optionEntries } from "../../config/options.ts";
import { type ComparedSession, comparisonReport } from "../../replay/comparison.ts";
import type { ReplaySettings } from "../../replay/lane.ts";
import { replayRecording } from "../../replay/replay.ts";
import { releaseLines, type SessionFigures, sessionFigures, totalFigures } from "../../replay/replay-report.ts";
import { type CommandSpec, type ExitCode, type GivenArguments, UsageError } from "../command.ts";
import { comparisonLines } from "../comparison-table.ts";
import { type ComparisonTask, compareFile, configurationsOf } from "../file-comparison.ts";
import { type Io, printLine } from "../io.ts";
import { createLateBar } from "../late-bar.ts";
import { namedModel, PRICED_MODEL_FLAGS, pricedAsNamed } from "../priced-model.ts";
import { sessionLines } from "../replay-lines.ts";
import { openRecording, replaySettingsOf } from "../replay-settings.ts";
import { compareInThreads, threadsFor } from "../thread-pool.ts";
import { replayColdAt, replayReanchor } from "./replay-kinds.ts";

/** `ebb replay`: every recorded request again, through the same keeper, against a simulated provider. */
export const replayCommand: CommandSpec = {
  name: "replay",
  description: "send recorded sessions through Ebb again: what left when and why, and the tokens with and without it",
  argument: { notation: "<files...>", description: "recorded sessions" },
  flags: [
    { name: "json", value: null, description: "the figures as data" },
    {
      name: "compare",
      value: "names",
      description:
        "the figures of several configurations in one table: none, seed, standard, tidy and .yaml files, with commas",
    },
    {
      name: "reanchor",
      value: null,
      description: "what writing stale reads out of the cached prefix would cost once and save from then on",
    },
    {
      name: "cold-at",
      value: "request",
      description:
        "this request of each file as if the provider's cache had expired: its tokens and money, before and after",
    },
    ...PRICED_MODEL_FLAGS,
  ],
  configured: "replay",
  run: (given, io) => {
    refuseTogether(given);
    const list = given.textOf("compare");
    if (list !== null) return compare(list, given, io);
    const config = given.config();
    const settings = pricedAsNamed(namedModel(given))(replaySettingsOf(config, io));
    if (given.isSet("reanchor")) return replayReanchor(given, { config, settings }, io);
    if (given.textOf("cold-at") !== null) return replayColdAt(given, settings, io);
    return replay(given, settings, io);
  },
};

/** Each request goes out twice, with Ebb and without. */
const LANES = 2;

async function replay(given: GivenArguments, settings: ReplaySettings, io: Io): Promise<ExitCode> {
  const isJson = given.isSet("json");
  const sessions: SessionFigures[] = [];
  for (const file of given.positional) {
    const recording = await openRecording(file, settings, io);
    const bar = createLateBar(io.progress, LANES * recording.contexts.flatMap((context) => context.requests).length);
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

async function compare(list: string, given: GivenArguments, io: Io): Promise<ExitCode> {
  refuseOwnConfiguration(given);
  const { env, ...place } = io.place;
  const task = { list, model: namedModel(given), place: { ...place, env: { ...env } } };
  const names = configurationsOf(task, io).map(({ name }) => name);
  const report = comparisonReport(names, await compareFiles(given.positional, task, io));
  if (given.isSet("json")) printLine(io, JSON.stringify(report, null, 2));
  else
    for (const line of comparisonLines(report, io.isInteractive ? (io.progress.columns ?? null) : null))
      printLine(io, line);
  return report.comparisons.some(({ totals }) => totals.law_violations > 0) ? 1 : 0;
}

/** In threads where that is worth it; the result and what is said are those of one file after the other. */
async function compareFiles(
  files: readonly string[],
  task: ComparisonTask,
  io: Io,
): Promise<readonly (readonly ComparedSession[])[]> {
  const bar = createLateBar(io.progress);
  const threads = threadsFor(files, task.place);
  const outcomes = threads === 1 ? [] : await compareInThreads(files, task, threads, bar);
  const configurations = configurationsOf(task, io);
  const sessions: (readonly ComparedSession[])[] = [];
  for (const [index, file] of files.entries()) {
    const outcome = outcomes[index] ?? null;
    if (outcome !== null) io.err(outcome.said);
    sessions.push(outcome?.sessions ?? (await compareFile(file, configurations, io, bar)));
  }
  bar.stop();
  return sessions;
}

/** Each of these prints figures of its own kind. */
function refuseTogether(given: GivenArguments): void {
  const kinds = [
    ...(given.textOf("compare") === null ? [] : ["--compare"]),
    ...(given.isSet("reanchor") ? ["--reanchor"] : []),
    ...(given.textOf("cold-at") === null ? [] : ["--cold-at"]),
  ];
  if (kinds.length > 1) throw new UsageError(`expected one of ${kinds.join(" and ")}, got both`);
}

/** Each compared configuration stands for itself, so nothing beside it may be stated. */
function refuseOwnConfiguration(given: GivenArguments): void {
  const flags = ["--config", ...optionEntries().map(([key]) => flagOf(key))];
  const stated = flags.find((flag) => given.textOf(flag.slice(2)) !== null);
  if (stated !== undefined)
    throw new UsageError(`--compare: expected no ${stated} beside it; name a .yaml file in the list`);
}
