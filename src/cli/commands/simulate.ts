import { readFile } from "node:fs/promises";
import { EbbError } from "../../lib/ebb-error.ts";
import { anthropicProvider } from "../../providers/anthropic.ts";
import { geminiProvider } from "../../providers/gemini.ts";
import { openaiProvider } from "../../providers/openai.ts";
import { defaultScenario, parseScenario, type Scenario } from "../../replay/simulated/scenario.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../replay/simulated/server.ts";
import { UsageError } from "../command.ts";

export interface SimulateOptions {
  /** 0: any free port. */
  readonly port: number;
  /** File with a scenario in JSON; null: one answer in text for everything. */
  readonly scenario: string | null;
  /** Folder that each request is written to; null: none. */
  readonly captureFolder: string | null;
  readonly signatures: boolean;
}

/**
 * Starts the simulated provider for `ebb simulate`; the caller prints its `url` and closes it. Rejects with
 * `input_invalid` for a scenario that cannot be read or meant, `address_in_use` for a port that is taken.
 */
export async function simulate(options: SimulateOptions): Promise<SimulatedProvider> {
  return await startSimulatedProvider({
    models: anthropicProvider,
    otherModels: { openai: openaiProvider, gemini: geminiProvider },
    scenario: options.scenario === null ? defaultScenario : await readScenario(options.scenario),
    port: options.port,
    signatures: options.signatures,
    ...(options.captureFolder === null ? {} : { captureFolder: options.captureFolder }),
  });
}

async function readScenario(file: string): Promise<Scenario> {
  const parsed = parseScenario(await readJson(file));
  if (parsed.ok) return parsed.value;
  const lines = parsed.problems.map((words) => `${file}: ${words}`);
  throw new EbbError("input_invalid", `the scenario is refused\n${lines.join("\n")}`);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    const hasCode = cause instanceof Error && "code" in cause;
    if (hasCode && cause.code === "ENOENT") throw new UsageError(`${file}: no such file`);
    const why = hasCode ? String(cause.code) : cause instanceof Error ? cause.message : "unknown reason";
    throw new EbbError("input_invalid", `${file}: the scenario cannot be read as JSON (${why})`, cause);
  }
}
