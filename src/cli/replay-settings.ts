import { resolve } from "node:path";
import { wiresWith } from "../builtins.ts";
import type { ResolvedConfig } from "../config/resolved.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { TokenCounter } from "../model/ports.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import type { AnalysisParts } from "../replay/analyze/understood-history.ts";
import type { ReplaySettings } from "../replay/lane.ts";
import { readRecording } from "../replay/readers/recording-file.ts";
import { readableBy } from "../replay/recorded-wire.ts";
import type { Recording, RecordingOutcome } from "../replay/recording.ts";
import { openForeignTables } from "../stores/foreign-tables.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { UsageError } from "./command.ts";
import type { Io } from "./io.ts";
import { keeperSettingsOf } from "./open-keeper.ts";
import { recordedProvider } from "./recorded-provider.ts";

/** How recorded requests go through the same keeper as live ones: on a store in memory, with the simulated provider. */
export function replaySettingsOf(config: ResolvedConfig, io: Io): ReplaySettings {
  const settings = keeperSettingsOf(config, createTeller(io));
  return {
    keeper: { ...settings, mode: "enforce" },
    newStore: () => createMemoryStore({}),
    wires: wiresWith(config.cacheEdits),
    providerOf: (wire, model) => recordedProvider(wire, model, settings.providers),
    traitsOf: anthropicProvider.traitsOf,
    cacheEdits: config.cacheEdits,
  };
}

/** Every recording begins with a new keeper; what each of them would say of a model is said once. */
function createTeller(io: Io): (code: string, words: string) => void {
  const models = new Set<string>();
  return (code, words) => {
    if (code === "unknown_model" && models.has(words)) return;
    // What follows from it is the same for each model.
    const told = code === "unknown_model" && models.size > 0 ? words.replace(NOT_ON_RECORD, "$1 either") : words;
    if (code === "unknown_model") models.add(words);
    io.err(`ebb: ${told} (${code})\n`);
  };
}

const NOT_ON_RECORD = /^(.* is not on record): .*$/s;

/** What an analysis reads histories with. */
export function analysisPartsOf({ keeper, wires }: ReplaySettings): AnalysisParts {
  const { dialects, shell, evidence, tokens, bound } = keeper;
  return { wires, dialects, shell, evidence, counter: tokens, bound };
}

/** One recording; its broken lines go to the error stream. Throws `input_invalid` for a file of no known format, `UsageError` where there is no file. */
export async function openRecording(path: string, { keeper, wires }: ReplaySettings, io: Io): Promise<Recording> {
  const outcome = await readFileAt(resolve(io.place.cwd, path), keeper.tokens);
  if (!outcome.ok) throw new EbbError("input_invalid", `${path}: ${outcome.words}`);
  const readable = readableBy(outcome.recording, wires);
  if (!readable.ok) throw new EbbError("input_invalid", `${path}: ${readable.words}`);
  const { recording } = readable;
  const problems = [...recording.problems, ...recording.contexts.flatMap((context) => context.problems)];
  for (const problem of problems) io.err(`${path}:${problem.line}: ${problem.words}\n`);
  return { ...recording, file: path };
}

async function readFileAt(file: string, counter: TokenCounter): Promise<RecordingOutcome> {
  try {
    return await readRecording(file, { counter, openTables: openForeignTables });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
    if (code === "ENOENT") throw new UsageError(`${file}: no such file`);
    if (code === "EISDIR") throw new UsageError(`${file}: expected a file, got a folder`);
    throw new EbbError("input_invalid", `${file}: cannot be read (${code})`, cause);
  }
}
