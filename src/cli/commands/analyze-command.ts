import { join, resolve } from "node:path";
import type { WouldDo } from "../../replay/analyze/session-analysis.ts";
import { wouldDoIn } from "../../replay/analyze/would-do.ts";
import type { ReplaySettings } from "../../replay/lane.ts";
import type { Recording, Scope } from "../../replay/recording.ts";
import { replayRecording } from "../../replay/replay.ts";
import { openForeignTables } from "../../stores/foreign-tables.ts";
import { type CommandSpec, type ExitCode, type GivenArguments, UsageError } from "../command.ts";
import type { Io } from "../io.ts";
import { analysisPartsOf, replaySettingsOf } from "../replay-settings.ts";
import { analyze } from "./analyze.ts";

/** `ebb analyze`: what is in recorded sessions and what Ebb would do, with no key and no network. */
export const analyzeCommand: CommandSpec = {
  name: "analyze",
  description: "show what fills the window in recorded sessions, and what Ebb would do about it",
  argument: { notation: "[paths...]", description: "files or folders (default: ~/.claude/projects)" },
  flags: [
    { name: "scope", value: "scope", description: "all (default), or live: what follows the last client compaction" },
    { name: "json", value: null, description: "the figures as data" },
  ],
  configured: "analyze",
  run: runAnalyze,
};

async function runAnalyze(given: GivenArguments, io: Io): Promise<ExitCode> {
  const scope = scopeOf(given.textOf("scope") ?? "all");
  const settings = replaySettingsOf(given.config(), io);
  const isJson = given.isSet("json");
  const paths = given.positional.map((path) => resolve(io.place.cwd, path));
  const { exitCode } = await analyze(paths, {
    scope,
    isJson,
    isColored: io.isInteractive && !isJson && io.place.env.NO_COLOR === undefined,
    width: io.isInteractive ? (io.progress.columns ?? null) : null,
    defaultFolder: join(io.place.home, ".claude", "projects"),
    parts: analysisPartsOf(settings),
    openTables: openForeignTables,
    whatEbbWouldDo: (recording, onRequest) => wouldDo(recording, scope, { ...settings, onRequest }),
    output: { write: (text) => io.out(text) },
    problems: { write: (text) => io.err(text) },
    progress: io.progress,
  });
  return exitCode;
}

/** The whole recording is replayed, whatever the scope: what was sent before decides what may leave. */
async function wouldDo(recording: Recording, scope: Scope, settings: ReplaySettings): Promise<WouldDo> {
  return wouldDoIn(await replayRecording(recording, settings), scope);
}

function scopeOf(text: string): Scope {
  if (text === "all" || text === "live") return text;
  throw new UsageError(`--scope: expected all or live, got ${JSON.stringify(text)}`);
}
